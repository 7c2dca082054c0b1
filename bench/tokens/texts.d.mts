export const languages: Readonly<Record<string, string>>;
export function generated(
  seed?: number,
  variants?: number,
): readonly { readonly kind: string; readonly family: 'code' | 'bound'; readonly texts: readonly string[] }[];
