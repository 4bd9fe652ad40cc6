// Which methods an address takes: distinguishes an unknown address (404) from a wrong method (405),
// for every route of every origin.

type Address = { url: string; form: RegExp; methods: Set<string> }

/** A router pattern as a regular expression: `:id` is one segment, `*` the rest. */
function formOf(url: string): RegExp {
  const source = url
    .replace(/\/$/, '')
    .split('/')
    .map((part) => {
      if (part.includes('*')) return '.*'
      return part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  return new RegExp(`^${source}/?$`)
}

export class Addresses {
  readonly #known = new Map<string, Address>()

  add(url: string, methods: string | readonly string[]): void {
    const address = this.#known.get(url) ?? { url, form: formOf(url), methods: new Set() }
    for (const method of [methods].flat()) address.methods.add(method)
    this.#known.set(url, address)
  }

  /** The methods of the path (no query), sorted; empty when there is no such address. */
  methodsAt(path: string): string[] {
    const found = [...this.#known.values()].filter(({ form }) => form.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort()
  }
}
