// The developers' pages at /docs: guides, operations by group, webhooks, search. Made from the
// document that is served and from docs/guides, so that they cannot say something else; each is
// made at its first visit and kept, since neither changes while the process lives.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { refuse } from '../platform/errors.ts'
import { type Html, html } from '../platform/html.ts'
import type { OpenApiDocument } from '../platform/http/openapi.ts'
import type { PageInput, PageReply, PageRoute, Pages } from '../platform/http/page-route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { framed, type Link, type Navigation } from './frame.ts'
import { ApiDocument, type Operation, slugOf } from './read-document.ts'
import { type Leads, markdown } from './show-markdown.ts'
import { operationList, operationSection, webhookSection } from './show-operations.ts'

const guides_directory = fileURLToPath(new URL('../../../docs/guides', import.meta.url))

type Guide = Readonly<{ name: string; title: string; text: string }>
type Page = Extract<PageReply, { is: 'page' }>

/** In the order in which a newcomer needs them; others follow by name. */
const first_guides = [
  'from-sandbox-to-live',
  'sandbox',
  'payments',
  'checkout',
  'webhooks',
  'payouts',
]
const found_max = 50
/** Anybody may ask, and each word is looked for in all that is documented. Characters. */
const asked_max = 80

export function referencePages(document: () => OpenApiDocument): Pages {
  let site: Site | undefined
  const open = () => {
    site ??= new Site(new ApiDocument(document()), readGuides())
    return site
  }
  const get = (path: string, show: (site: Site, input: PageInput) => Page): PageRoute => ({
    method: 'GET',
    path,
    handler: async (input) => show(open(), input),
  })
  return {
    routes: [
      get('/docs', (site) => site.kept('/docs', () => site.start())),
      get('/docs/search', (site, { query }) => site.search(query['q'] ?? '')),
      get('/docs/webhooks', (site) => site.kept('/docs/webhooks', () => site.webhooks())),
      get('/docs/guides/:name', (site, { params }) => site.guide(params['name'] ?? '')),
      get('/docs/api/:group', (site, { params }) => site.group(params['group'] ?? '')),
    ],
    failed: () => open().missing(),
  }
}

class Site {
  readonly #api: ApiDocument
  readonly #guides: readonly Guide[]
  readonly #navigation: Navigation
  readonly #pages = new Map<string, Page>()

  constructor(api: ApiDocument, guides: readonly Guide[]) {
    this.#api = api
    this.#guides = guides
    const { merchants, staff } = api.groups()
    this.#navigation = {
      guides: guides.map(({ name, title }) => ({ href: `/docs/guides/${name}`, text: title })),
      groups: [
        ...merchants.map(groupLink),
        { href: '/docs/webhooks', text: 'What webhooks carry' },
      ],
      staff_groups: staff.map(groupLink),
    }
  }

  /** The page of an address, made once. */
  kept(here: string, make: () => Page): Page {
    const found = this.#pages.get(here) ?? make()
    this.#pages.set(here, found)
    return found
  }

  start(): Page {
    const { groups, guides } = this.#navigation
    const body = html`${markdown(this.#api.description)}
<h2>Begin</h2><p>Start the service with <code>npm start</code>, take a key from
<code>.pirogue/credentials.json</code>, and follow a guide.</p>${linksOf(guides)}
<h2>The API</h2><p>Addresses begin with <code>${this.#api.base_url}</code>.</p>${linksOf(groups)}`
    return this.#framed('/docs', 'Pirogue API', body)
  }

  guide(name: string): Page {
    const guide = this.#guides.find((one) => one.name === name)
    if (guide === undefined) throw refuse(transportErrors.not_found)
    const here = `/docs/guides/${name}`
    return this.kept(here, () =>
      this.#framed(here, guide.title, markdown(guide.text, this.#leadsFrom(name))),
    )
  }

  group(slug: string): Page {
    const operations = this.#api.operations.filter(({ group }) => slugOf(group) === slug)
    const [first] = operations
    if (first === undefined) throw refuse(transportErrors.not_found)
    const here = `/docs/api/${slug}`
    return this.kept(here, () => {
      const sections = operations.map((one) => operationSection(this.#api, one))
      return this.#framed(here, first.group, html`${operationList(operations)}${sections}`)
    })
  }

  webhooks(): Page {
    const events = this.#api.webhooks()
    const list = events.map(
      ({ id, path, summary }) =>
        html`<li><a href="#${id}"><code>${path}</code></a> ${summary}</li>`,
    )
    const sections = events.map((one) => webhookSection(this.#api, one))
    const body = html`<p>How to verify, answer and repeat them:
<a href="/docs/guides/webhooks">the guide</a>.</p><ul>${list}</ul>${sections}`
    return this.#framed('/docs/webhooks', 'What webhooks carry', body)
  }

  search(sent: string): Page {
    const text = sent.slice(0, asked_max)
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const has = (all: string) => {
      const lower = all.toLowerCase()
      return words.every((word) => lower.includes(word))
    }
    const operations = this.#api.operations.filter((one) => has(textOf(one)))
    const guides = this.#guides.filter((one) => has(one.text))
    const is_empty = words.length === 0 || operations.length + guides.length === 0
    const body = is_empty
      ? html`<p>Nothing was found. Try one word of what you want to do, such as
<em>payout</em>, <em>otp</em> or <em>receipt</em>.</p>`
      : linksOf([...guides.map(guideLink), ...operations.slice(0, found_max).map(operationLink)])
    const title = text === '' ? 'Search' : `Search: ${text}`
    const page = { title, here: '/docs/search', body, query: text, status: 200 }
    return framed({ ...page, navigation: this.#navigation })
  }

  missing(): Page {
    const body = html`<p>No such page. <a href="/docs">All that is documented</a>.</p>`
    const page = { title: 'Not found', here: '', body, status: 404 }
    return framed({ ...page, navigation: this.#navigation })
  }

  #framed(here: string, title: string, body: Html): Page {
    return framed({ navigation: this.#navigation, title, here, body })
  }

  /** Links between guides stay here; those to other files of the repository are text. */
  #leadsFrom(name: string): Leads {
    return (href) => {
      if (/^(https?:\/\/|#)/.test(href)) return href
      const [file = '', anchor] = href.replace(/^\.\//, '').split('#')
      const target = file === '' ? name : file.replace(/\.md$/, '')
      const is_guide = this.#guides.some((one) => one.name === target)
      if (!is_guide) return undefined
      return `/docs/guides/${target}${anchor === undefined ? '' : `#${anchor}`}`
    }
  }
}

const groupLink = (name: string): Link => ({ href: `/docs/api/${slugOf(name)}`, text: name })

const guideLink = ({ name, title }: Guide): Link => ({
  href: `/docs/guides/${name}`,
  text: `Guide: ${title}`,
})

const operationLink = ({ group, id, method, path, summary }: Operation): Link => ({
  href: `/docs/api/${slugOf(group)}#${id}`,
  text: `${summary}: ${method} ${path}`,
})

const textOf = ({ id, path, group, summary, description }: Operation): string =>
  [id, path, group, summary, description].join(' ')

const linksOf = (links: readonly Link[]): Html =>
  html`<ul>${links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`

function readGuides(): Guide[] {
  const names = readdirSync(guides_directory)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort()
  const sorted = [...first_guides.filter((name) => names.includes(name)), ...names]
  return [...new Set(sorted)].map((name) => {
    const text = readFileSync(`${guides_directory}/${name}.md`, 'utf8')
    const [, title = name] = /^# (.+)$/m.exec(text) ?? []
    return { name, title, text: text.replace(/^# .+\n/, '') }
  })
}
