// The frame of the developers' pages: navigation, search, our style; nothing is loaded besides the
// page, and there is no script.

import { type Html, html, inline } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'

const styles = inline(
  'style',
  `
:root{color-scheme:light dark;--p:#fff;--t:#1b1f23;--m:#555b61;--l:#d5dade;--s:#f3f5f6;
--a:#0b6b4f}
@media(prefers-color-scheme:dark){:root{--p:#14171a;--t:#f1f3f4;--m:#b4bac0;--l:#3a4046;
--s:#20252a;--a:#6fd3b1}}
*{box-sizing:border-box}
body{margin:0;background:var(--p);color:var(--t);font:1rem/1.55 system-ui,sans-serif;
overflow-wrap:anywhere}
a{color:var(--a)}
header{border-bottom:1px solid var(--l);padding:.75rem 1rem;display:flex;flex-wrap:wrap;
gap:.5rem 1rem;align-items:center}
header b{font-size:1.1rem}
header b a{color:inherit;text-decoration:none}
header .contents{display:none}
header form{margin-left:auto;display:flex;gap:.5rem}
input,button{font:inherit;min-height:2.75rem;padding:.25rem .75rem;border-radius:.5rem;
border:1px solid var(--m);background:var(--p);color:var(--t);min-width:0}
button{font-weight:600;cursor:pointer}
.page{display:grid;grid-template-columns:15rem minmax(0,1fr);max-width:75rem;margin:0 auto}
nav{padding:1rem;border-right:1px solid var(--l);font-size:.95rem}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav li a{display:block;padding:.3rem .5rem;border-radius:.375rem;text-decoration:none;color:inherit}
nav a[aria-current]{background:var(--s);font-weight:700}
nav h2{font-size:.8rem;text-transform:uppercase;letter-spacing:.05em;color:var(--m);
margin:.5rem;border:0;padding:0}
nav summary{padding:.5rem;cursor:pointer;color:var(--m)}
main{padding:1rem 1.5rem 4rem;min-width:0}
h1{font-size:1.75rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.3rem;margin:2.5rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--l)}
h3{font-size:1.05rem;margin:1.5rem 0 .5rem}
code,pre{font:.9rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--s);padding:.1em .3em;border-radius:.25rem}
pre{background:var(--s);border:1px solid var(--l);border-radius:.5rem;padding:.75rem 1rem;
overflow-x:auto;overflow-wrap:normal}
pre code{background:none;padding:0}
.call{display:flex;gap:.75rem;align-items:baseline;flex-wrap:wrap}
.verb{font-weight:700;color:var(--a)}
.mute,.what{color:var(--m)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.95rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;min-width:5rem;
border-bottom:1px solid var(--l)}
details{margin:.75rem 0}
summary{cursor:pointer;min-height:1.75rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem}
@media(max-width:46rem){.page{display:flex;flex-direction:column-reverse}
nav{border-right:0;border-top:1px solid var(--l)}header .contents{display:inline}
main{padding:1rem}header form{margin:0;flex:1 1 100%}header input{flex:1}}
`,
)

const policy = [
  "default-src 'none'",
  `style-src ${styles.source}`,
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export type Link = Readonly<{ href: string; text: string }>

/** What the navigation lists: guides first, then what merchants call, then what staff call. */
export type Navigation = Readonly<{
  guides: readonly Link[]
  groups: readonly Link[]
  staff_groups: readonly Link[]
}>

export type Framed = Readonly<{
  navigation: Navigation
  title: string
  here: string
  body: Html
  status?: number
  query?: string
}>

/** Also the title of the first page. */
const service = 'Pirogue API'

const cached_s = 3_600

export const framed = (page: Framed): Extract<PageReply, { is: 'page' }> => ({
  is: 'page',
  status: page.status ?? 200,
  policy,
  headers: {
    'Cache-Control': `public, max-age=${page.status === undefined ? cached_s : 0}`,
    'Content-Language': 'en',
  },
  page: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${page.title === service ? service : `${page.title} · ${service}`}</title>
<link rel="icon" href="data:,">
${styles.html}</head>
<body><a class="skip" href="#content">Skip to the content</a>
<header><b><a href="/docs">${service}</a></b> <a class="contents" href="#contents">Contents</a>
<form action="/docs/search" role="search"><input type="search" name="q" aria-label="Search the API"
 placeholder="payout, webhook, otp …" value="${page.query ?? ''}"><button>Search</button></form>
</header>
<div class="page">${navigationOf(page)}
<main id="content"><h1>${page.title}</h1>${page.body}</main></div>
</body></html>`,
})

function navigationOf({ navigation, here }: Framed): Html {
  const { guides, groups, staff_groups } = navigation
  const staff_is_open = staff_groups.some(({ href }) => href === here)
  return html`<nav id="contents" aria-label="Documentation">
<h2>Guides</h2>${listOf(guides, here)}
<h2>API</h2>${listOf(groups, here)}
<details${staff_is_open && html` open`}><summary>For the platform’s staff</summary>
${listOf(staff_groups, here)}</details>
<h2>Files</h2><ul><li><a href="/openapi.json">OpenAPI 3.1 (JSON)</a></li>
<li><a href="/api/v1/openapi.yaml">OpenAPI 3.1 (YAML)</a></li></ul></nav>`
}

const listOf = (links: readonly Link[], here: string): Html =>
  html`<ul>${links.map(
    ({ href, text }) =>
      html`<li><a href="${href}"${href === here && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul>`
