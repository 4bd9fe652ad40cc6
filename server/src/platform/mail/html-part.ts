// The HTML part of an e-mail, made of its text: the same words, looking like our pages. Nothing is
// loaded from anywhere. Law: only the service's own address becomes a link, on a line of its own;
// whatever else stands in the text stays text.

import { type Locale, typeset } from '../errors.ts'
import { type Html, html } from '../html.ts'
import type { MailAddress, Outgoing } from './mail.ts'

/** Whose e-mails they are. */
export type MailLook = Readonly<{
  from: MailAddress
  /** The origin of our own pages, without a trailing slash; absent: nothing becomes a link. */
  public_url?: string | undefined
  /** The same of the dashboard, where it has one of its own. */
  dashboard_url?: string | null | undefined
}>

const colours = { paper: '#ffffff', around: '#f3f5f6', ink: '#1b1f23', faint: '#555b61' } as const
const green = '#0b6b4f'

const words = {
  go: { en: 'Continue', fr: 'Continuer' },
  copy: {
    en: 'If the button does not work, copy this address:',
    fr: 'Si le bouton ne fonctionne pas, copiez cette adresse :',
  },
  automatic: {
    en: 'This e-mail was sent automatically. Replies are not read.',
    fr: 'Cet e-mail est envoyé automatiquement. Les réponses ne sont pas lues.',
  },
} as const satisfies Record<string, Readonly<Record<Locale, string>>>

export function htmlOf({ subject, text, locale }: Outgoing, look: MailLook): string {
  const { name, address } = look.from
  const parts = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  const body = parts.map((part) => paragraph(part, locale, look))
  const page = html`<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:0;background:${colours.around}">
<div style="max-width:32rem;margin:0 auto;padding:24px 16px;color:${colours.ink};
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere">
<p style="margin:0 0 16px;font-size:18px;font-weight:700;color:${green}">${name || address}</p>
<div style="background:${colours.paper};border-top:4px solid ${green};border-radius:4px;
padding:24px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${unbroken(subject)}</h1>
${body}</div>
<p style="margin:16px 0 0;font-size:14px;color:${colours.faint}">${words.automatic[locale]}</p>
</div></body></html>
`
  return page.toString()
}

/** A heading in large letters is short of room: within this word is no place to break it. */
const unbroken = (text: string): Html[] =>
  text
    .split(/(e-mail)/i)
    .map((part, at) =>
      at % 2 === 0 ? html`${part}` : html`<span style="white-space:nowrap">${part}</span>`,
    )

/** Text is broken into lines to be read as text: here the reader's program breaks it. */
function paragraph(text: string, locale: Locale, look: MailLook): Html {
  const line = text.replace(/\s*\n\s*/g, ' ').trim()
  const own = [look.public_url, look.dashboard_url]
  const isOurs = own.some((url) => url != null && line.startsWith(`${url}/`))
  if (!isOurs || /\s/.test(line))
    return html`<p style="margin:0 0 16px">${line}</p>
`
  const copy = typeset(words.copy[locale], locale)
  return html`<p style="margin:24px 0"><a href="${line}" style="display:inline-block;
padding:12px 24px;border-radius:8px;background:${green};color:#ffffff;font-weight:700;
text-decoration:none">${words.go[locale]}</a></p>
<p style="margin:0 0 16px;font-size:14px;color:${colours.faint}">${copy}<br>
${line}</p>
`
}
