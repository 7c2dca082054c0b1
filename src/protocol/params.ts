/** Parameters that came from outside, held against their definition: one way to say what is wrong with them, for every edge. */
import * as z from 'zod';
import { ChittaError } from '../errors.ts';

function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String);
  return issue.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''].join('.') : path.join('.');
}

function problemOf(issue: z.core.$ZodIssue, field: string, tool: string): string {
  if (issue.code === 'unrecognized_keys') return `${field} is not a parameter of ${tool}`;
  if (field !== '') return `${field}: ${issue.message}`;
  return issue.code === 'invalid_type' ? 'the parameters are not an object' : issue.message;
}

/** The parameters as `definition` has them. Throws E_PARAM_INVALID with `field` naming the first that is wrong or not known. */
export function checkedParams<T extends z.ZodObject>(definition: T, value: unknown, tool: string): z.output<T> {
  const parsed = definition.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue === undefined ? '' : fieldOf(issue);
  throw new ChittaError('E_PARAM_INVALID', issue === undefined ? 'bad parameters' : problemOf(issue, field, tool), {
    field,
    hint: `known parameters: ${Object.keys(definition.shape).join(', ')}`,
  });
}

/** Bounds that a call is held to anyway, and that no model needs to be told: each word stands in contexts. */
const UNSAID = ['minLength', 'maxLength', 'exclusiveMinimum'];

/** JSON Schema of parameters, for `tools/list`: what a model reads, and nothing that it does not need. */
export function paramsSchema(definition: z.ZodObject): Record<string, unknown> {
  const { $schema: _draft, ...schema } = z.toJSONSchema(definition, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const bound of UNSAID) Reflect.deleteProperty(jsonSchema, bound);
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return schema;
}
