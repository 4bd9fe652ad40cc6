// A payment that is under way: confirmed on the phone, by a code, on the operator's own page, or
// not known yet. None of them begins a second payment.

import { instructionIn } from '../catalogue/catalogue.ts'
import { writeHiddenPhone } from '../customers/phone.ts'
import { writeAmount } from '../money/format.ts'
import { type Html, html } from '../platform/html.ts'
import type { PageReply } from '../platform/http/page-route.ts'
import { fieldOf, type Problem, submitOf, summaryOf } from './field.ts'
import { framed } from './frame.ts'
import { type Payment, stateWord, type Visit } from './visit.ts'
import type { Word } from './words.ts'
import { webAddress } from './write-values.ts'

const refresh_s = 5
/** Later, a payer who still waits sees it soon enough, and a forgotten page costs less. */
const refresh_later_s = 20
const soon_ms = 120_000

type Waiting = Readonly<{ visit: Visit; payment: Payment; problem: Problem | undefined }>

export function pendingPage(waiting: Waiting, now_ms: number): PageReply {
  const { visit, payment, problem } = waiting
  const { t, input, brand, here } = visit
  const { title, body } = sceneOf(waiting)
  const heading = t(title, { network: payment.network?.name ?? '' })
  const age_ms = now_ms - payment.now.transaction.updated_at.getTime()
  return framed({
    status: problem?.status ?? 200,
    locale: input.locale,
    title: `${heading} · ${brand.name}`,
    here,
    brand,
    ...(asksForCode(payment) ? {} : { refresh_s: age_ms < soon_ms ? refresh_s : refresh_later_s }),
    live: { address: `${here}/live`, state: stateWord(visit.checkout.target.session, payment) },
    body: html`${summaryOf(problem, t)}<h1>${heading}</h1>
<div id="status" role="status" aria-live="polite">${body}</div>
${facts(visit, payment)}
<p class="note"><strong>${t('wait_not_again')}</strong></p>
<p><a id="look-again" href="${here}">${t('look_again')}</a></p>`,
  })
}

/** A page that the payer types into is not reloaded meanwhile. */
const asksForCode = ({ state }: Payment): boolean =>
  !state.unknown && state.next_action === 'ENTER_OTP'

type Scene = Readonly<{ title: Word; body: Html }>

function sceneOf(waiting: Waiting): Scene {
  const { t } = waiting.visit
  const { state } = waiting.payment
  if (asksForCode(waiting.payment)) return codeScene(waiting)
  if (state.unknown || state.next_action === 'NONE') {
    return { title: 'unknown_title', body: html`<p>${t('unknown_how')}</p>` }
  }
  if (state.next_action === 'REDIRECT') return leaveScene(waiting)
  return {
    title: 'wait_title',
    body: html`<div class="row"><div class="wait"></div><p>${t('wait_how')}</p></div>
<h2>${t('wait_none')}</h2><p>${t('wait_dial')}</p>`,
  }
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

function leaveScene({ visit, payment }: Waiting): Scene {
  const { t } = visit
  const address = webAddress(payment.state.checkout_url)
  const network = payment.network?.name ?? ''
  return {
    title: 'leave_title',
    body: html`<p>${t('leave_how', { network })}</p>${
      address !== undefined &&
      html`<p><a id="leave" class="button" rel="noreferrer"
 href="${address}">${t('leave_go', { network })}</a></p>`
    }<p>${t('leave_wait')}</p>`,
  }
}

/** On to the operator, once, after the form; with a link where the browser does not follow. */
export function hopPage({ visit, payment }: Omit<Waiting, 'problem'>, address: string): PageReply {
  const { t, input, brand, here } = visit
  const network = payment.network?.name ?? ''
  const title = t('leave_title', { network })
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

function facts({ t, input }: Visit, { attempt, network }: Payment): Html {
  const amount = writeAmount(attempt.debited_amount, attempt.currency, input.locale)
  return html`<dl><dt>${t('amount')}</dt><dd id="amount">${amount}</dd>
<dt>${t('number')}</dt><dd id="number">${writeHiddenPhone(attempt.operation_msisdn)}</dd>
<dt>${t('network')}</dt><dd id="network">${network?.name}</dd></dl>`
}
