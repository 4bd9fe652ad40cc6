// The extra fields of a link (contract 8.3): how a merchant defines them, and whether a payer's
// values fit. The values go into the session's metadata, so they are bounded: ten of them fit into
// its 8 KB.

import { type Static, Type } from 'typebox'
import { type CustomField, customFieldTypes } from '../../orders/link.ts'
import { metadataBytesMax } from '../../planning/softpay-body.ts'
import { type FieldErrors, Invalid, type Text } from '../../platform/errors.ts'
import { compileBody } from '../../platform/http/validation.ts'

const fields_max = 10
const options_max = 50
const text_length_max = 255

export const CustomFieldsInput = Type.Array(
  Type.Object({
    name: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_-]{0,49}$',
      'x-message': {
        en: 'Must begin with a letter and have at most 50 letters, digits, _ or -.',
        fr: 'Doit commencer par une lettre et avoir au plus 50 lettres, chiffres, _ ou -.',
      },
    }),
    label: Type.Optional(
      Type.String({ maxLength: 100, description: 'The label shown; defaults to the name.' }),
    ),
    type: Type.Optional(Type.Enum([...customFieldTypes], { default: 'TEXT' })),
    required: Type.Optional(Type.Boolean({ default: false })),
    options: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }), {
        maxItems: options_max,
        description: 'For a SELECT: at least one.',
      }),
    ),
  }),
  { maxItems: fields_max },
)
export type CustomFieldsInput = Static<typeof CustomFieldsInput>

export const CustomFieldsView = Type.Array(
  Type.Object({
    name: Type.String(),
    label: Type.String(),
    type: Type.Enum([...customFieldTypes]),
    required: Type.Boolean(),
    options: Type.Array(Type.String()),
  }),
)

const twice: Text = {
  en: 'Two fields have the same name.',
  fr: 'Deux champs ont le même nom.',
}
const noOptions: Text = {
  en: 'A SELECT needs at least one option.',
  fr: 'Un champ SELECT exige au moins une option.',
}

/** What their schema cannot express. */
export function fieldFaults({ custom_fields }: Readonly<Record<string, unknown>>): FieldErrors {
  if (!Array.isArray(custom_fields)) return {}
  const faults: Record<string, Text[]> = {}
  const names = new Set<unknown>()
  for (const [at, field] of custom_fields.entries()) {
    if (typeof field !== 'object' || field === null) continue
    const { name, type, options }: Record<string, unknown> = { ...field }
    if (names.has(name)) faults[`custom_fields.${at}.name`] = [twice]
    names.add(name)
    const has_options = Array.isArray(options) && options.length > 0
    if (type === 'SELECT' && !has_options) faults[`custom_fields.${at}.options`] = [noOptions]
  }
  return faults
}

export const fieldsOf = (input: CustomFieldsInput): CustomField[] =>
  input.map(({ name, label, type = 'TEXT', required = false, options = [] }) => ({
    name,
    label: label?.trim() || name,
    type,
    required,
    options: [...new Set(options.map((option) => option.trim()))],
  }))

export const ValuesInput = Type.Union(
  [Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown(), { maxItems: 0 })],
  {
    description: 'One value for each custom field of the link, by its name.',
    'x-message': { en: 'Must be an object.', fr: 'Doit être un objet.' },
  },
)

type Value = string | number

const valuesOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

/** Values for fields that the link does not have, by `custom_field_values.{name}`. */
export function unknownValues(fields: readonly CustomField[], value: unknown): string[] {
  const known = new Set(fields.map(({ name }) => name))
  const names = Object.keys(valuesOf(value)).filter((name) => !known.has(name))
  return names.map((name) => `custom_field_values.${name}`)
}

/**
 * The payer's values, as metadata; refused by `custom_field_values.{name}`. Values for fields that
 * the link does not have are ignored (`unknownValues` names them).
 */
export function customMetadata(
  fields: readonly CustomField[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const values = valuesOf(value)
  const faults: Record<string, Text[]> = {}
  const kept: [string, Value][] = []
  for (const field of fields) {
    const given = Object.hasOwn(values, field.name) ? values[field.name] : undefined
    const read = readValue(field, given)
    if (read.is === 'fault') faults[`custom_field_values.${field.name}`] = [read.text]
    if (read.is === 'value') kept.push([field.name, read.value])
  }
  if (Object.keys(faults).length > 0) throw new Invalid(faults)
  if (kept.length === 0) return {}
  const metadata = { custom_fields: Object.fromEntries(kept) }
  if (Buffer.byteLength(JSON.stringify(metadata)) > metadataBytesMax) {
    throw new Invalid({ custom_field_values: [tooMuch] })
  }
  return metadata
}

type ReadValue =
  | Readonly<{ is: 'nothing' }>
  | Readonly<{ is: 'value'; value: Value }>
  | Readonly<{ is: 'fault'; text: Text }>

function readValue({ type, required, options }: CustomField, given: unknown): ReadValue {
  const value = typeof given === 'string' ? given.trim() : given
  if (value === undefined || value === null || value === '') {
    return required ? { is: 'fault', text: needed } : { is: 'nothing' }
  }
  if (typeof value !== 'string' && typeof value !== 'number') return { is: 'fault', text: noText }
  if (type === 'NUMBER') return isNumber(value) ? { is: 'value', value } : fault(notNumber)
  const text = String(value)
  if (text.length > text_length_max) return fault(tooLong)
  if (/\p{Cc}/u.test(text)) return fault(controls)
  if (type === 'EMAIL' && Object.keys(checkEmail({ email: text })).length > 0) {
    return fault(notEmail)
  }
  if (type === 'PHONE' && !phone.test(text)) return fault(notPhone)
  if (type === 'SELECT' && !options.includes(text)) return fault(oneOf(options))
  return { is: 'value', value: text }
}

const fault = (text: Text): ReadValue => ({ is: 'fault', text })

/** A comma counts as a point: on French keyboards it is one. */
const isNumber = (value: string | number): boolean =>
  typeof value === 'number' ? Number.isFinite(value) : /^[+-]?\d{1,15}(?:[.,]\d{1,6})?$/.test(value)

/** Of any country, with the signs that people put between the digits. */
const phone = /^\+?(?:[\s().-]{0,2}\d){6,15}$/
const checkEmail = compileBody(Type.Object({ email: Type.String({ format: 'email' }) }))

const needed: Text = { en: 'This field is required.', fr: 'Ce champ est obligatoire.' }
const noText: Text = {
  en: 'Must be a string or a number.',
  fr: 'Doit être une chaîne de caractères ou un nombre.',
}
const notNumber: Text = { en: 'Must be a number.', fr: 'Doit être un nombre.' }
const tooLong: Text = {
  en: `Must have at most ${text_length_max} characters.`,
  fr: `Doit avoir au plus ${text_length_max} caractères.`,
}
const controls: Text = {
  en: 'Must be a single line, without control characters.',
  fr: 'Doit tenir sur une ligne, sans caractère de contrôle.',
}
const notEmail: Text = {
  en: 'Must be an e-mail address such as awa@example.com.',
  fr: 'Doit être une adresse e-mail comme awa@example.com.',
}
const notPhone: Text = { en: 'Must be a phone number.', fr: 'Doit être un numéro de téléphone.' }
const tooMuch: Text = {
  en: 'The answers are too long in total. Shorten them.',
  fr: 'Les réponses sont trop longues au total. Raccourcissez-les.',
}
const oneOf = (options: readonly string[]): Text => ({
  en: `Must be one of: ${options.join(', ')}.`,
  fr: `Doit être l’un de : ${options.join(', ')}.`,
})
