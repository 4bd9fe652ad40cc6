// JSON as text that may be wrong on purpose: whatever stands in a `Raw` is written as it is, so a
// body can hold a key twice, a number no machine knows, or a million brackets.

export class Raw {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Raw)

export function writeJson(value: unknown): string {
  if (value instanceof Raw) return value.text
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}:${writeJson(one)}`,
  )
  return `{${fields.join(',')}}`
}

/** The object with one of its fields written twice, the second time with another value. */
export function withTwice(value: JsonObject, key: string, second: unknown): Raw {
  const text = writeJson(value)
  const again = `${JSON.stringify(key)}:${writeJson(second)}`
  return new Raw(text === '{}' ? `{${again}}` : `${text.slice(0, -1)},${again}}`)
}
