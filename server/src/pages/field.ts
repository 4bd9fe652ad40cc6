// The parts of a form: a field with its label, hint and error beside it, and the summary above that
// leads to each wrong one.

import { type Html, html } from '../platform/html.ts'
import type { Doubt } from './preselect.ts'
import type { Translate } from './words.ts'

/** The errors, by the id of the field; `form`: those of the whole form. */
export type Problem = Readonly<{
  status: number
  errors: Readonly<Record<string, string>>
  /** What the number says of the network that was sent: nothing is wrong, the payer looks again. */
  doubt?: Doubt | undefined
  /** Alpha-2: the number is of this country, not the one that was sent. The payer looks again. */
  place?: string | undefined
}>

export function summaryOf(problem: Problem | undefined, t: Translate): Html {
  if (problem === undefined || Object.keys(problem.errors).length === 0) return html``
  const lines = Object.entries(problem.errors).map(([id, text]) =>
    id === 'form' ? html`<li>${text}</li>` : html`<li><a href="#${id}">${text}</a></li>`,
  )
  return html`<div id="errors" class="bad" role="alert" tabindex="-1">
<h2>${t('skip_problem')}</h2>
<ul>${lines}</ul></div>`
}

export const errorOf = (id: string, text: string | undefined): Html =>
  text === undefined ? html`` : html`<p class="err" id="${id}-error">${text}</p>`

/** The attributes by which a field names its hint and its error. */
export function ariaOf(id: string, texts: Readonly<{ hint?: unknown; error?: unknown }>): Html {
  const ids = [
    ...(texts.hint === undefined ? [] : [`${id}-hint`]),
    ...(texts.error === undefined ? [] : [`${id}-error`]),
  ]
  const invalid = texts.error !== undefined && html` aria-invalid="true"`
  const described = ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  return html`${invalid}${described}`
}

export type Field = Readonly<{
  id: string
  label: string
  hint?: string | undefined
  error?: string | undefined
  value?: string | undefined
  /** The rest of the input's attributes. */
  more: Html
}>

export const fieldOf = ({ id, label, hint, error, value = '', more }: Field): Html =>
  html`<div class="field"><label for="${id}">${label}</label>
${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}${errorOf(id, error)}
<input id="${id}" name="${id}" value="${value}" ${more}${ariaOf(id, { hint, error })}></div>`

export type Choice = Omit<Field, 'more'> &
  Readonly<{ options: readonly string[]; required: boolean; none: string }>

/** A list to choose from; nothing is chosen beforehand. */
export const choiceOf = ({ id, label, hint, error, value = '', ...more }: Choice): Html =>
  html`<div class="field"><label for="${id}">${label}</label>
${hint === undefined ? '' : html`<p class="hint" id="${id}-hint">${hint}</p>`}${errorOf(id, error)}
<select id="${id}" name="${id}"${more.required && html` required`}${ariaOf(id, { hint, error })}>
<option value="">${more.none}</option>${more.options.map(
    (one) => html`<option${one === value && html` selected`} value="${one}">${one}</option>`,
  )}</select></div>`

export const submitOf = (id: string, text: string, t: Translate): Html =>
  html`<button id="${id}" data-busy="${t('busy')}">${text}</button>`
