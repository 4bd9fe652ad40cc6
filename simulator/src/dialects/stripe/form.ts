// Forms as this operator takes them: `a[b][0][c]=d`. A parameter that it does not know is refused
// by its name.

export type Form = { [name: string]: string | Form }

const isForm = (value: string | Form | undefined): value is Form => typeof value === 'object'

export function parseForm(text: string): Form {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const steps = name.replaceAll(']', '').split('[')
    const last = steps.pop() ?? ''
    let at = form
    for (const step of steps) {
      const next = at[step]
      if (isForm(next)) at = next
      else {
        const made: Form = {}
        at[step] = made
        at = made
      }
    }
    at[last || String(Object.keys(at).length)] = value
  }
  return form
}

export const textOf = (form: Form, ...path: string[]): string => {
  const found = path.reduce<string | Form | undefined>(
    (at, step) => (isForm(at) ? at[step] : undefined),
    form,
  )
  return typeof found === 'string' ? found : ''
}

export const partOf = (form: Form, name: string): Readonly<Record<string, string>> => {
  const part = form[name]
  if (!isForm(part)) return {}
  return Object.fromEntries(
    Object.entries(part).flatMap(([key, value]) => (isForm(value) ? [] : [[key, value]])),
  )
}

/** The first parameter that is not in this list of patterns, each of a whole name. */
export function strangerIn(text: string, known: readonly RegExp[]): string | undefined {
  return [...new URLSearchParams(text).keys()].find(
    (name) => !known.some((pattern) => pattern.test(name)),
  )
}
