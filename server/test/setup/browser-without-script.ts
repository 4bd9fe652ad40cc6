// A browser that runs no script, as far as the payer's pages need one: it keeps cookies, follows
// 303, reads forms as they are in the HTML and sends them as a person would who filled them in.

export type Page = Readonly<{
  status: number
  headers: Headers
  /** Path and query of where it ended. */
  at: string
  html: string
  /** Without tags, entities read, white space one space. */
  text: string
  bytes: number
}>

type Sent = Readonly<Record<string, string>>

export class BrowserWithoutScript {
  readonly #origin: string
  readonly #language: string
  readonly cookies = new Map<string, string>()

  constructor(origin: string, language = 'en') {
    this.#origin = origin
    this.#language = language
  }

  /** Follows redirects within the app; it stops at one that leads elsewhere. */
  async open(path: string): Promise<Page> {
    return this.#follow('GET', path)
  }

  /** Fills the form of this id and presses its button; radios, selects and hidden fields count. */
  async submit(page: Page, form_id: string, filled: Sent = {}): Promise<Page> {
    const form = formOf(page, form_id)
    const fields = new URLSearchParams({ ...form.fields, ...filled })
    if (form.method === 'GET') return this.#follow('GET', `${form.action}?${fields}`)
    return this.#follow('POST', form.action, fields)
  }

  async #follow(method: string, path: string, body?: URLSearchParams): Promise<Page> {
    const reply = await fetch(new URL(path, this.#origin), {
      method,
      redirect: 'manual',
      headers: {
        'accept-language': this.#language,
        'accept-encoding': 'br',
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      ...(body === undefined ? {} : { body }),
    })
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.cookies.set(name, value)
    }
    const location = reply.headers.get('location')
    if (reply.status === 303 && location?.startsWith('/') === true) {
      await reply.arrayBuffer()
      return this.#follow('GET', location)
    }
    return read(reply, path)
  }
}

/** `fetch` has undone the compression; `content-length` is of what was carried. */
async function read(reply: Response, at: string): Promise<Page> {
  const html = await reply.text()
  return {
    status: reply.status,
    headers: reply.headers,
    at,
    html,
    text: textOf(html),
    bytes: Number(reply.headers.get('content-length') ?? '0'),
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

const plain = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? '')

export function textOf(html: string): string {
  const body = html.replace(/<(style|script|title)>.*?<\/\1>/gs, ' ')
  return plain(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/** The value of an attribute in the first tag that this begins. */
export function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return found === undefined ? undefined : plain(found)
}

/** The opening tag of the element with this id. */
export const tagOf = ({ html }: Pick<Page, 'html'>, id: string): string | undefined =>
  new RegExp(`<[^>]*\\sid="${id}"[^>]*>`).exec(html)?.[0]

/** The text inside the element with this id, up to its first closing tag. */
export function textIn({ html }: Pick<Page, 'html'>, id: string): string | undefined {
  const found = new RegExp(`<(\\w+)[^>]*\\sid="${id}"[^>]*>(.*?)</\\1>`, 's').exec(html)?.[2]
  return found === undefined ? undefined : textOf(found)
}

type Form = Readonly<{ action: string; method: string; fields: Sent }>

export function formOf({ html, at }: Page, id: string): Form {
  const [form, opening = ''] =
    new RegExp(`(<form[^>]*\\sid="${id}"[^>]*>).*?</form>`, 's').exec(html) ?? []
  if (form === undefined) throw new Error(`no form ${id} at ${at}: ${textOf(html).slice(0, 400)}`)
  const inputs = [...form.matchAll(/<input[^>]*>/g)].flatMap(([tag]) => {
    const isOff = attributeOf(tag, 'type') === 'radio' && !/\schecked[\s>]/.test(tag)
    const name = attributeOf(tag, 'name')
    return isOff || name === undefined ? [] : [[name, attributeOf(tag, 'value') ?? ''] as const]
  })
  const selects = [...form.matchAll(/<select[^>]*>.*?<\/select>/gs)].map(([select]) => {
    const chosen = /<option[^>]*\sselected>/.exec(select) ?? /<option[^>]*>/.exec(select)
    return [
      attributeOf(select, 'name') ?? '',
      attributeOf(chosen?.[0] ?? '', 'value') ?? '',
    ] as const
  })
  return {
    action: attributeOf(opening, 'action') ?? at,
    method: (attributeOf(opening, 'method') ?? 'get').toUpperCase(),
    fields: Object.fromEntries([...inputs, ...selects]),
  }
}
