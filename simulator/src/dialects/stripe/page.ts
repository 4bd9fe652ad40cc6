// The operator's page for payers: its test cards, as buttons, and a way back. No script, and
// nothing from elsewhere; every value passes through `escapeHtml`. It is labelled as simulated.

import type { Session } from './objects.ts'
import { cards } from './scenarios.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '')

const style =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:0 auto;padding:1rem}' +
  'button{display:block;width:100%;min-height:3rem;margin:0 0 .5rem;font:inherit}'

const shell = (content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Pay by card (simulated)</title>
<style>${style}</style>
</head>
<body><main>
<h1>Pay by card (simulated)</h1>
${content}
<p>Not Stripe: an imitation of its wire. No card is charged.</p>
</main></body>
</html>
`

function button(value: string, label: string): string {
  const digits = value.replace(/(\d{4})(?=\d)/g, '$1 ')
  return `<button name="card" value="${value}">${digits}: ${label}</button>`
}

export function openPage(session: Session, declined: boolean, asks: boolean): string {
  const sum = `${session.amount} ${session.currency.toUpperCase()} (smallest unit)`
  const buttons = asks
    ? '<button name="authenticated" value="yes">My bank: it is me</button>\n' +
      '<button name="authenticated" value="no">My bank: it is not me</button>'
    : [...cards.values()].map(({ number, label }) => button(number, label)).join('\n')
  return shell(`<p>${escapeHtml(session.name)}</p>
<p>${escapeHtml(sum)}</p>
${declined ? '<p role="alert">Your card was declined. Try another.</p>' : ''}
<form method="post">
${buttons}
</form>
${session.cancel_url === '' ? '' : `<p><a href="${escapeHtml(session.cancel_url)}">Back</a></p>`}`)
}

export const endedPage = (): string => shell('<p role="status">This page has ended.</p>')
