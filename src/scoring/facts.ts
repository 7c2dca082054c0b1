/**
 * What a text says that an embedding does not tell apart: numbers with their units, names of things, what is negated.
 * Deterministic and linear; English first, with the commonest negations of a few other languages.
 */

export interface Quantity {
  /** Normalised: `8,080` and `8080` are one; compounds such as `1.2.3` or `2026-01-02` are one value. */
  readonly value: string;
  readonly unit: string | undefined;
}

export interface Facts {
  /** In order of first occurrence. */
  readonly quantities: readonly Quantity[];
  /** Paths, file names, symbols, flags, versions, days and months; as written, in order of first occurrence. */
  readonly names: readonly string[];
  /** Lower-case words as written. */
  readonly words: ReadonlySet<string>;
  /** Stems of words that carry meaning. */
  readonly stems: ReadonlySet<string>;
  /** Stems that stand within reach of a negation; and those that (also) stand outside of one. */
  readonly negated: ReadonlySet<string>;
  readonly affirmed: ReadonlySet<string>;
  /** Whether anything is negated at all. */
  readonly negates: boolean;
}

/** A negation reaches over so many meaningful words, unless the clause ends before. */
const NEGATION_REACH = 4;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const NEGATIONS: ReadonlySet<string> = words(
  'not no never without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt mustnt couldnt hasnt havent ' +
    'avoid avoids avoided avoiding stop stops stopped except unless neither nor none nothing forbid forbids forbidden ' +
    'prohibit prohibits prohibited disallow disallowed instead rather nicht kein keine keinen niemals pas jamais nunca не нельзя नहीं',
);
/** Negation written without spaces around it. */
const HAN_NEGATION = /[不没沒勿莫別别未無无]|ない|ません|않|없|안 /u;

const STOP_WORDS: ReadonlySet<string> = words(
  'a an and are as at be been being but by for from has have had he her his i if in into is it its me my of on off or our out ' +
    'she so than that the their them then there these they this those to too up was we were what when where which while who ' +
    'will with would you your also just only very please now here can could may might must shall should do does did done ' +
    'one some any all each every both about over under again always',
);
/** Verbs of no meaning of their own: a fact reworded often changes these, and nothing else. */
const LIGHT_VERBS: ReadonlySet<string> = words(
  'use uses used using run runs ran running set sets setting get gets got make makes made need needs needed want wants ' +
    'keep keeps kept take takes go goes put puts work works working listen listens listening live lives stand stands ' +
    'call calls called let lets happen happens require requires required remember note know like',
);

const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ns: 'ns nanosecond nanoseconds',
    us: 'us µs microsecond microseconds',
    ms: 'ms msec millisecond milliseconds',
    s: 's sec secs second seconds',
    min: 'min mins minute minutes',
    h: 'h hr hrs hour hours',
    d: 'd day days',
    week: 'week weeks',
    month: 'month months',
    year: 'year years',
    b: 'b byte bytes',
    bit: 'bit bits',
    kb: 'kb kib kilobyte kilobytes',
    mb: 'mb mib megabyte megabytes',
    gb: 'gb gib gigabyte gigabytes',
    tb: 'tb tib terabyte terabytes',
    '%': '% percent',
    px: 'px pixel pixels',
    times: 'x times',
    k: 'k thousand',
    m: 'm million',
    hz: 'hz',
    khz: 'khz',
    mhz: 'mhz',
    ghz: 'ghz',
  }).flatMap(([unit, names]) => names.split(' ').map((name): [string, string] => [name, unit])),
);
/** Letters that are units only when they stand right behind the digits. */
const ATTACHED_ONLY: ReadonlySet<string> = words('x m k b');

const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  'zero,,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve'
    .split(',')
    .flatMap((word, value): [string, string][] => (word === '' ? [] : [[word, String(value)]])),
);

const CALENDAR: ReadonlySet<string> = words(
  'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays ' +
    'january february april june july august september october november december',
);

const CJK = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+)/gu;
/** A run without white space and brackets, or one mark that ends a clause. */
const TOKEN = /[^\s=|,;()"`“”„<>{}[\]…—–]+|[,;()|{}…—–]/gu;
/** What may stand before and after a word without being part of it. */
const EDGE_START = ".:!?'*~#$€£";
const EDGE_END = ".:!?'*~";
const PLAIN_NUMBER = /^[-+]?\d+(?:\.\d+)?$/u;
const NUMBER_WITH_UNIT = /^([-+]?\d+(?:\.\d+)?)([\p{L}%µ]{1,12})$/u;
const COMPOUND_NUMBER = /^v?\d[\d.:/_+-]*\d$/iu;

/** The beginning of a word that its forms have in common. Crude, and the same for the same word. */
export function stemOf(word: string): string {
  let stem = word;
  if (stem.length >= 5 && stem.endsWith('ing')) stem = stem.slice(0, -3);
  else if (stem.length >= 4 && (stem.endsWith('ed') || stem.endsWith('es'))) stem = stem.slice(0, -2);
  else if (stem.length >= 4 && stem.endsWith('s') && !stem.endsWith('ss')) stem = stem.slice(0, -1);
  if (stem.length >= 3 && stem.endsWith('e')) stem = stem.slice(0, -1);
  const last = stem.at(-1);
  return stem.length > 3 && stem !== word && last === stem.at(-2) && last !== 'l' && last !== 's'
    ? stem.slice(0, -1)
    : stem;
}

/** By hand: a pattern anchored at the end would try every run of dots from each of its dots. */
function coreOf(token: string): string {
  let from = 0;
  let to = token.length;
  while (from < to && EDGE_START.includes(token.charAt(from))) from += 1;
  while (to > from && EDGE_END.includes(token.charAt(to - 1))) to -= 1;
  return token.slice(from, to);
}

function numberText(digits: string): string {
  const value = Number(digits);
  return digits.length <= 15 && Number.isFinite(value) ? String(value) : digits;
}

function quantityOf(core: string): Quantity | undefined {
  if (PLAIN_NUMBER.test(core)) return { value: numberText(core), unit: undefined };
  const [, digits, letters] = NUMBER_WITH_UNIT.exec(core) ?? [];
  if (digits !== undefined && letters !== undefined) {
    const unit = letters.toLowerCase();
    return { value: numberText(digits), unit: UNITS.get(unit) ?? unit };
  }
  return COMPOUND_NUMBER.test(core) ? { value: core.toLowerCase().replace(/^v/, ''), unit: undefined } : undefined;
}

function isName(core: string): boolean {
  return /[/\\_]|::|^--?\p{L}|^@|\p{L}\.\p{L}|\p{Ll}\p{Lu}/u.test(core) || (/\p{N}/u.test(core) && /\p{L}/u.test(core));
}

/** Reads a text. Mask secrets before: what is compared must be what is stored. Never throws. */
export function factsOf(text: string): Facts {
  const quantities: Quantity[] = [];
  const names = new Set<string>();
  const all = new Set<string>();
  const stems = new Set<string>();
  const negated = new Set<string>();
  const affirmed = new Set<string>();
  let negates = false;
  let reach = 0;
  let counted: { value: string; index: number } | undefined;

  const mean = (stem: string): void => {
    if (reach > 0) {
      negated.add(stem);
      reach -= 1;
    } else {
      affirmed.add(stem);
    }
  };
  const takeWord = (word: string): void => {
    const plain = word.replaceAll("'", '');
    all.add(plain);
    if (NEGATIONS.has(plain) || word.endsWith("n't")) {
      negates = true;
      reach = NEGATION_REACH;
      return;
    }
    if (STOP_WORDS.has(plain)) return;
    if (HAN_NEGATION.test(plain)) negates = true;
    const stem = stemOf(plain);
    mean(stem);
    if (!LIGHT_VERBS.has(plain)) stems.add(stem);
  };
  const takeQuantity = (quantity: Quantity): void => {
    counted = quantity.unit === undefined ? { value: quantity.value, index: quantities.length } : undefined;
    quantities.push(quantity);
    mean(quantity.value);
  };
  const takeName = (name: string): void => {
    names.add(name);
    all.add(name.toLowerCase());
    mean(name);
  };
  const takeCore = (core: string): void => {
    const before = counted;
    counted = undefined;
    const quantity = quantityOf(core);
    if (quantity !== undefined) return takeQuantity(quantity);
    const word = core.toLowerCase();
    const unit = before === undefined || ATTACHED_ONLY.has(word) ? undefined : UNITS.get(word);
    if (before !== undefined && unit !== undefined) {
      quantities[before.index] = { value: before.value, unit };
      return;
    }
    const spelled = NUMBER_WORDS.get(word);
    if (spelled !== undefined) return takeQuantity({ value: spelled, unit: undefined });
    if (CALENDAR.has(word)) return takeName(word.replace(/ys$/, 'y'));
    if (isName(core)) return takeName(core);
    for (const part of word.split('-')) if (part !== '') takeWord(part);
  };

  const spaced = text
    .replaceAll('’', "'")
    .replace(/(\d)[,_](?=\d{3}(?!\d))/g, '$1')
    .replace(CJK, ' $1 ');
  for (const [token] of spaced.matchAll(TOKEN)) {
    const core = coreOf(token);
    if (core === '' || /^[,;()|{}…—–]$/u.test(core)) {
      reach = 0;
      continue;
    }
    if (core.includes(':') && !core.includes('::') && !/:\/\/|\d:\d/.test(core)) {
      for (const part of core.split(':')) if (part !== '') takeCore(part);
    } else {
      takeCore(core);
    }
    if (/[.:!?]$/.test(token)) reach = 0;
  }
  return { quantities, names: [...names], words: all, stems, negated, affirmed, negates };
}
