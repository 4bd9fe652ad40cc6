// A payment that is under way: confirmed on the phone, by a code, on the operator's own page, or
// not known yet. None of them begins a second payment.

import { cards, instructionIn } from '../catalogue/catalogue.ts'
import { writeAmount } from '../money/format.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { factList } from './facts.ts'
import { fieldOf, type Problem, submitOf, summaryOf } from './field.ts'
import { framed } from './frame.ts'
import { networkMark } from './marks.ts'
import { shownNumber } from './own-number.ts'
import { footOf, type PageDeps, type Payment, stateWord, untilOf, type Visit } from './visit.ts'
import type { Word } from './words.ts'
import { dialAddress, webAddress } from './write-values.ts'

const refresh_s = 5
/** The operator's page comes within seconds: the payer has nothing to do until then. */
const refresh_for_page_s = 2
/** Later, a payer who still waits sees it soon enough, and a forgotten page costs less. */
const refresh_later_s = 20
const soon_ms = 120_000

type Waiting = Readonly<{ visit: Visit; payment: Payment; problem: Problem | undefined }>

export function pendingPage(deps: PageDeps, waiting: Waiting): PageReply {
  const { visit, payment, problem } = waiting
  const { t, input, brand, here } = visit
  const { title, body, after } = sceneOf(deps, waiting)
  const heading = t(title, { network: payment.network?.name ?? '' })
  const age_ms = deps.clock() - payment.now.transaction.updated_at.getTime()
  const waits = !asksForCode(payment)
  return framed({
    status: problem?.status ?? 200,
    locale: input.locale,
    title: `${heading} · ${brand.name}`,
    here,
    brand,
    foot: footOf(deps, visit),
    ...(waits ? { refresh_s: age_ms < soon_ms ? soonOf(payment) : refresh_later_s } : {}),
    live: { address: `${here}/live`, state: stateWord(visit.checkout.target.session, payment) },
    body: html`${summaryOf(problem, t)}${paying(deps, waiting)}
<h1${waits && html` class="waits"`}>${waits && html`<span class="wait"></span>`}${heading}</h1>
<div id="status" role="status" aria-live="polite">${body}</div>
<p class="wary" id="once"><strong>${t('wait_not_again')}</strong> ${t('wait_follows')}</p>
${after}<p><a id="look-again" class="button second" href="${here}">${t('look_again')}</a></p>`,
  })
}

/** What leaves which account: above all else, so that a slip in the number shows. */
function paying(deps: PageDeps, { visit, payment }: Waiting): Html {
  const { t, input, checkout } = visit
  const { attempt, network, network_name } = payment
  const amount = writeAmount(attempt.debited_amount, attempt.currency, input.locale)
  const own = { slug: checkout.target.session.slug, e164: attempt.operation_msisdn }
  return html`<div class="paying">${network && networkMark(network)}${factList([
    { id: 'amount', name: t('amount'), value: amount },
    { id: 'number', name: t('number'), value: shownNumber(deps, input, own) },
    { id: 'network', name: t('network'), value: network_name },
  ])}</div>`
}

const soonOf = ({ state }: Payment): number =>
  state.next_action === 'REDIRECT' && state.checkout_url === '' ? refresh_for_page_s : refresh_s

/** A page that the payer types into is not reloaded meanwhile. */
const asksForCode = ({ state }: Payment): boolean =>
  !state.unknown && state.next_action === 'ENTER_OTP'

type Scene = Readonly<{ title: Word; body: Html; after?: Html }>

function sceneOf(deps: PageDeps, waiting: Waiting): Scene {
  const { t } = waiting.visit
  const { state } = waiting.payment
  if (asksForCode(waiting.payment)) return codeScene(waiting)
  if (state.unknown || state.next_action === 'NONE') {
    return { title: 'unknown_title', body: html`<p>${t('unknown_how')}</p>` }
  }
  if (state.next_action === 'REDIRECT') return leaveScene(waiting)
  return phoneScene(deps, waiting)
}

/** Three steps on the phone, what to dial, and what to do about a wrong number. */
function phoneScene(deps: PageDeps, { visit, payment }: Waiting): Scene {
  const { t, input, checkout } = visit
  const { attempt } = payment
  const { session } = checkout.target
  const network = payment.network_name
  const amount = writeAmount(attempt.debited_amount, attempt.currency, input.locale)
  const shown = shownNumber(deps, input, { slug: session.slug, e164: attempt.operation_msisdn })
  const phone = shown.replaceAll(' ', '\u00a0')
  return {
    title: 'wait_title',
    body: html`<ol class="steps"><li>${t('step_take', { phone, network })}</li>
<li>${t('step_check', { amount })}</li><li><strong>${t('step_pin')}</strong></li></ol>
${dialling(waitingOn(payment), t)}`,
    after: html`<details class="no-print"><summary>${t('wrong_number')}</summary>
<p id="wrong-number">${t('wrong_number_how')} ${untilOf(deps, visit)}.</p></details>`,
  }
}

const waitingOn = ({ network, network_name: name }: Payment) => ({
  name,
  ussd: network?.ussd ?? '',
})

/** The operator's menu, where we know its code; its name, where we do not. */
function dialling({ name, ussd }: Readonly<{ name: string; ussd: string }>, t: Visit['t']): Html {
  if (ussd === '')
    return html`<h2>${t('wait_none')}</h2><p>${t('wait_dial', { network: name })}</p>`
  return html`<h2>${t('wait_none')}</h2><p><a id="dial" class="button second dial"
 href="${dialAddress(ussd)}"><span>${t('dial', { network: name })}</span><b>${ussd}</b></a></p>`
}

function codeScene({ visit, payment, problem }: Waiting): Scene {
  const { t, input, here } = visit
  const instruction = instructionIn(input.locale, payment.state.otp_instructions)
  const code = {
    id: 'otp',
    label: t('code'),
    hint: instruction === '' ? t('code_sent') : `${instruction}.`,
    error: problem?.errors['otp'],
    more: html`inputmode="numeric" autocomplete="one-time-code" maxlength="12" required`,
  }
  return {
    title: 'code_title',
    body: html`<form id="code-form" method="post" action="${here}/code">${fieldOf(code)}
${submitOf('confirm', t('confirm'), t)}</form>`,
  }
}

const leaving = {
  operator: { title: 'leave_title', how: 'leave_how', go: 'leave_go', wait: 'leave_wait' },
  card: {
    ...{ title: 'leave_card_title', how: 'leave_card_how' },
    ...{ go: 'leave_card_go', wait: 'leave_card_wait' },
  },
} as const satisfies Record<string, Record<string, Word>>

/** A card's payer approves nothing at Visa: the page that they go to takes the card. */
const leavingOf = ({ network }: Payment) =>
  leaving[network?.country_code === cards ? 'card' : 'operator']

function leaveScene({ visit, payment }: Waiting): Scene {
  const { t } = visit
  const { title, how, go, wait } = leavingOf(payment)
  const address = webAddress(payment.state.checkout_url)
  const network = payment.network?.name ?? ''
  return {
    title,
    body: html`<p>${t(how, { network })}</p>${
      address !== undefined &&
      html`<p><a id="leave" class="button" rel="noreferrer"
 href="${address}">${t(go, { network })}</a></p>`
    }<p>${t(wait)}</p>`,
  }
}

/** On to the operator, once, after the form; with a link where the browser does not follow. */
export function hopPage({ visit, payment }: Omit<Waiting, 'problem'>, address: string): PageReply {
  const { t, input, brand, here } = visit
  const network = payment.network?.name ?? ''
  const title = t(leavingOf(payment).title, { network })
  return framed({
    status: 200,
    locale: input.locale,
    title: `${title} · ${brand.name}`,
    here,
    brand,
    next: { address, after_s: 0 },
    body: html`<h1>${title}</h1>${leaveScene({ visit, payment, problem: undefined }).body}`,
  })
}
