// The message for a wrong field, in each language, by the schema keyword that failed. A schema may
// bring its own sentence: `'x-message': { en, fr }`.

import type { ErrorObject } from 'ajv'
import type { Text } from '../errors.ts'
import { oneOf } from './filters.ts'

const typeNames: Readonly<Record<string, Text>> = {
  string: { en: 'a string', fr: 'une chaîne de caractères' },
  integer: { en: 'a whole number', fr: 'un nombre entier' },
  number: { en: 'a number', fr: 'un nombre' },
  boolean: { en: 'true or false', fr: 'true ou false' },
  object: { en: 'an object', fr: 'un objet' },
  array: { en: 'a list', fr: 'une liste' },
  null: { en: 'null', fr: 'null' },
}

const formatTexts: Readonly<Record<string, Text>> = {
  uuid: { en: 'Must be a UUID.', fr: 'Doit être un UUID.' },
  email: { en: 'Must be an e-mail address.', fr: 'Doit être une adresse e-mail.' },
  date: {
    en: 'Must be a date, such as 2026-01-31.',
    fr: 'Doit être une date, par exemple 2026-01-31.',
  },
  'date-time': {
    en: 'Must be a date-time with its zone, such as 2026-01-31T08:00:00Z.',
    fr: 'Doit être une date-heure avec son fuseau, par exemple 2026-01-31T08:00:00Z.',
  },
  uri: {
    en: 'Must be an absolute http or https URL.',
    fr: 'Doit être une URL http ou https absolue.',
  },
  ip: { en: 'Must be an IP address.', fr: 'Doit être une adresse IP.' },
  'one-line': {
    en: 'Must be one line, without control characters.',
    fr: 'Doit tenir sur une ligne, sans caractère de contrôle.',
  },
}

export const requiredText: Text = {
  en: 'This field is required.',
  fr: 'Ce champ est obligatoire.',
}

/** For text that PostgreSQL cannot keep. */
export const unstorableText: Text = {
  en: 'Contains a character that is not allowed (NUL or half of a surrogate pair).',
  fr: 'Contient un caractère interdit (NUL ou moitié de paire de substitution).',
}

/** For a number that would be kept as another one. */
export const inexactText: Text = {
  en: 'Contains a number that is too large to be kept exactly. Send it as a string.',
  fr:
    'Contient un nombre trop grand pour être conservé exactement. Envoyez-le sous forme de ' +
    'chaîne de caractères.',
}

const wrongText: Text = { en: 'This value is not valid.', fr: 'Cette valeur n’est pas valable.' }

/** "Must be a string or a number." */
export function typeText(types: readonly string[]): Text {
  const names = types.filter((type) => type !== 'null' || types.length === 1)
  const join = (locale: 'en' | 'fr', or: string) =>
    names.map((type) => typeNames[type]?.[locale] ?? type).join(or)
  return { en: `Must be ${join('en', ' or ')}.`, fr: `Doit être ${join('fr', ' ou ')}.` }
}

const plural = (count: number, word: string): string => `${count} ${word}${count > 1 ? 's' : ''}`

const counted =
  (en: string, fr: string, unit: Text) =>
  (limit: number): Text => ({
    en: `Must have ${en} ${plural(limit, unit.en)}.`,
    fr: `Doit avoir ${fr} ${plural(limit, unit.fr)}.`,
  })

const compared =
  (en: string, fr: string) =>
  (limit: number): Text => ({
    en: `Must be ${en} ${limit}.`,
    fr: `Doit être ${fr} ${limit}.`,
  })

const character: Text = { en: 'character', fr: 'caractère' }
const item: Text = { en: 'item', fr: 'élément' }
const entry: Text = { en: 'entry', fr: 'clé' }

const atLeast = counted('at least', 'au moins', character)
const empty: Text = { en: 'Must not be empty.', fr: 'Ne peut pas être vide.' }

/** Texts of the keywords that carry one limit. */
const limitTexts: Readonly<Record<string, (limit: number) => Text>> = {
  minLength: (limit) => (limit === 1 ? empty : atLeast(limit)),
  maxLength: counted('at most', 'au plus', character),
  minItems: (limit) => (limit === 1 ? empty : counted('at least', 'au moins', item)(limit)),
  maxItems: counted('at most', 'au plus', item),
  minProperties: counted('at least', 'au moins', entry),
  // English has no regular plural here.
  maxProperties: (limit) => ({
    en: `Must have at most ${limit} ${limit > 1 ? 'entries' : 'entry'}.`,
    fr: `Doit avoir au plus ${plural(limit, entry.fr)}.`,
  }),
  minimum: compared('at least', 'supérieur ou égal à'),
  maximum: compared('at most', 'inférieur ou égal à'),
  exclusiveMinimum: compared('more than', 'supérieur à'),
  exclusiveMaximum: compared('less than', 'inférieur à'),
}

const plainTexts: Readonly<Record<string, Text>> = {
  required: requiredText,
  dependentRequired: requiredText,
  pattern: { en: 'This value has the wrong format.', fr: 'Cette valeur n’a pas le bon format.' },
  uniqueItems: {
    en: 'Must not contain the same item twice.',
    fr: 'Ne peut pas contenir deux fois le même élément.',
  },
}

const isText = (value: unknown): value is Text =>
  typeof value === 'object' && value !== null && 'en' in value && 'fr' in value

/** The schema's own sentence, where it has one. Needs ajv's `verbose`. */
export function ownText(error: ErrorObject): Text | undefined {
  const own: unknown = error.parentSchema?.['x-message']
  return isText(own) ? own : undefined
}

const allowedValues = (error: ErrorObject): unknown[] =>
  error.keyword === 'const' ? [error.params['allowedValue']] : error.params['allowedValues']

/** "Must be one of: A, B." of the `enum` and `const` errors given. */
export const choiceText = (errors: readonly ErrorObject[]): Text =>
  oneOf(errors.flatMap(allowedValues).map(String))

/** The sentence for one ajv error. */
export function textOf(error: ErrorObject): Text {
  const { keyword, params } = error
  // An absent field is reported as absent, whatever its schema requires of its value.
  const own = keyword === 'required' ? undefined : ownText(error)
  if (own !== undefined) return own
  if (keyword === 'type') return typeText([params['type']].flat())
  if (keyword === 'enum' || keyword === 'const') return choiceText([error])
  // "Anything but white space": reported as `minLength` would be, so that it is reported once.
  if (keyword === 'pattern' && params['pattern'] === '\\S') return empty
  if (keyword === 'format') return formatTexts[params['format']] ?? wrongText
  return limitTexts[keyword]?.(params['limit']) ?? plainTexts[keyword] ?? wrongText
}
