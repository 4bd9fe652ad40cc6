// The pages that e-mails lead staff to: request a new password, choose it. An e-mail's token is
// behind `#`, which no server sees: the page's script sends it to the API with what the reader
// types, so it does nothing without one. Members' e-mails lead to the dashboard.

import type { Locale, Text } from '../platform/errors.ts'
import { type Html, html, inline } from '../platform/html.ts'
import type { PageInput, PageReply, PageRoute } from '../platform/http/page-route.ts'
import { type Field, fieldOf } from './field.ts'
import { framed } from './frame.ts'
import { type PageDeps, prefixOf } from './visit.ts'

type FieldName = 'email' | 'new_password'

type AccountPage = Readonly<{
  /** The call of the API that its form makes. */
  call: string
  title: Text
  lead: Text
  fields: readonly FieldName[]
  button: Text
  done: Text
}>

const forgot = (call: string): AccountPage => ({
  call,
  title: { en: 'Request a new password', fr: 'Demander un nouveau mot de passe' },
  lead: {
    en: 'We will e-mail you a link that works once, within an hour.',
    fr: 'Vous recevrez par e-mail un lien valable une fois, pendant une heure.',
  },
  fields: ['email'],
  button: { en: 'Send the link', fr: 'Envoyer le lien' },
  done: {
    en: 'If an account exists with this address, an e-mail is on its way to it.',
    fr: 'Si un compte existe avec cette adresse, un e-mail vient d’y être envoyé.',
  },
})

const reset = (call: string): AccountPage => ({
  call,
  title: { en: 'Choose a new password', fr: 'Choisissez un nouveau mot de passe' },
  lead: {
    en: 'You will be signed out on every device.',
    fr: 'Vous serez déconnecté de tous vos appareils.',
  },
  fields: ['new_password'],
  button: { en: 'Change the password', fr: 'Changer le mot de passe' },
  done: {
    en: 'Your password has been changed. Sign in with the new one.',
    fr: 'Votre mot de passe a été changé. Connectez-vous avec le nouveau.',
  },
})

const pages: Readonly<Record<string, AccountPage>> = {
  '/admin/reset-password': reset('/admin/auth/password/reset/'),
  '/admin/forgot-password': forgot('/admin/auth/password/forgot/'),
}

const fields: Readonly<Record<FieldName, Readonly<{ id: string; label: Text; more: Html }>>> = {
  email: {
    id: 'email',
    label: { en: 'E-mail address', fr: 'Adresse e-mail' },
    more: html`type="email" autocomplete="email" maxlength="254" required`,
  },
  new_password: {
    id: 'password',
    label: { en: 'Password (8 characters or more)', fr: 'Mot de passe (8 caractères ou plus)' },
    more: html`type="password" autocomplete="new-password" minlength="8" maxlength="128" required`,
  },
}

const words = {
  no_script: {
    en: 'This page needs JavaScript, which your browser does not run. Open it in another browser.',
    fr:
      'Cette page a besoin de JavaScript, que votre navigateur n’exécute pas. Ouvrez-la dans un ' +
      'autre.',
  },
  no_answer: {
    en: 'There was no answer. Check your connection and try again.',
    fr: 'Pas de réponse. Vérifiez votre connexion et réessayez.',
  },
} as const satisfies Record<string, Text>

/** Texts come from the page and the API's answer, and are shown as text. */
const script = inline(
  'script',
  `
(()=>{
const q=i=>document.getElementById(i),f=q('account'),s=q('answer'),l=q('language');
const token=location.hash.slice(1);
l.href+=location.hash;
f.hidden=false;
f.addEventListener('submit',async e=>{
e.preventDefault();
const b=f.querySelector('button'),v=[...new FormData(f)].filter(([,x])=>x!=='');
b.disabled=true;
const r=await fetch(f.action,{method:'POST',headers:{'Content-Type':'application/json',
'Accept-Language':document.documentElement.lang},
body:JSON.stringify({...Object.fromEntries(v),...(token?{token}:{})})}).catch(()=>undefined);
const a=await r?.json().catch(()=>undefined);
b.disabled=false;
f.hidden=!!r?.ok;
s.className=r?.ok?'note':'bad';
s.textContent=r?.ok?f.dataset.done:a?.error?a.error.message??Object.values(a.error).flat().join(' ')
:f.dataset.silent;
s.hidden=false;
s.focus()})
})()
`.replaceAll('\n', ''),
)

/** At the origin, one for each address that an e-mail may lead to. */
export const accountPages = (deps: PageDeps): PageRoute[] =>
  Object.entries(pages).map(([path, page]) => ({
    method: 'GET',
    path,
    handler: async ({ locale }: PageInput): Promise<PageReply> => {
      const prefix = prefixOf(deps)
      return framed({
        status: 200,
        locale,
        title: page.title[locale],
        here: `${prefix}${path}`,
        script,
        body: bodyOf(page, { locale, action: `${prefix}/api/v1${page.call}` }),
      })
    },
  }))

const bodyOf = (
  { title, lead, fields: asked, button, done }: AccountPage,
  { locale, action }: Readonly<{ locale: Locale; action: string }>,
): Html => html`<h1>${title[locale]}</h1><p>${lead[locale]}</p>
<div id="answer" role="alert" tabindex="-1" hidden></div>
<noscript><p class="bad">${words.no_script[locale]}</p></noscript>
<form id="account" method="post" action="${action}" hidden data-done="${done[locale]}"
 data-silent="${words.no_answer[locale]}">${asked.map((one) => inputOf(one, locale))}
<button id="send">${button[locale]}</button></form>`

function inputOf(asked: FieldName, locale: Locale): Html {
  const { id, label, more } = fields[asked]
  const field: Field = { id, label: label[locale], more }
  return fieldOf(field)
}
