// What `gateway check` finds of the limits that an account's operator publishes: when they were
// read, what could not be used of them, and what will count soon. It reads only what is in the
// database.

import { pass, warn } from '../gateways/findings.ts'
import type { Finding } from '../gateways/gateway.ts'
import type { RuleLook } from '../gateways/operator-rule-statements.ts'
import type { Text } from '../platform/errors.ts'

const what: Text = { en: 'limits as published', fr: 'limites annoncées' }

/** A question that has found no use for so long has failed. */
const under_way_ms = 60_000

/** Nothing of an operator that publishes none, or of an account that nobody has asked yet. */
export function limitFindings(look: RuleLook | undefined, now_ms: number): Finding[] {
  if (look === undefined) return []
  const { asked_at, read_at, fault, waiting } = look
  if (asked_at === null) return []
  if (read_at === null) return [warn(what, never, askText)]
  const read = momentOf(read_at)
  const soon = waiting.length === 0 ? [] : [narrowerFinding(waiting)]
  if (read_at < asked_at && now_ms - asked_at.getTime() > under_way_ms) {
    const found = { en: `last read ${read.en}`, fr: `dernière lecture le ${read.fr}` }
    return [warn(what, found, askText), ...soon]
  }
  if (fault !== '') {
    const found = {
      en: `cannot be meant, or are not what we send: ${fault}`,
      fr: `incohérentes, ou différentes de nos envois : ${fault}`,
    }
    return [warn(what, found, compareText), ...soon]
  }
  if (soon.length > 0) return soon
  return [pass(what, { en: `read ${read.en}`, fr: `lues le ${read.fr}` })]
}

function narrowerFinding(waiting: RuleLook['waiting']): Finding {
  const each = waiting.map(({ network_code, direction, at_ms }) => {
    const from = momentOf(new Date(at_ms))
    return {
      en: `${network_code} ${direction} from ${from.en}`,
      fr: `${network_code} ${direction} à partir du ${from.fr}`,
    }
  })
  const all = { en: each.map(({ en }) => en).join('; '), fr: each.map(({ fr }) => fr).join(' ; ') }
  const found = { en: `narrower: ${all.en}`, fr: `plus étroites : ${all.fr}` }
  return warn(what, found, narrowText)
}

const never: Text = { en: 'never read yet', fr: 'jamais lues' }

const askText: Text = {
  en:
    'See the other findings and the log for why. It is asked again each hour; until it answers, ' +
    'what was published before counts.',
  fr:
    'Les autres points et le journal disent pourquoi. La question est reposée chaque heure ; ' +
    'd’ici là, ce qui a été annoncé auparavant vaut.',
}

const compareText: Text = {
  en:
    'Compare them with the operator’s portal, and amount_step with the route’s: ' +
    'these count for nothing.',
  fr:
    'Comparez-les au portail de l’opérateur, et amount_step à celui de la route : ' +
    'celles-ci ne comptent pas.',
}

const narrowText: Text = {
  en:
    'Set our prices within what it takes, or another route beside it; ' +
    'POST /admin/routes/{id}/accept-limits/ lets it count at once.',
  fr:
    'Ramenez nos tarifs dans ce qu’il accepte, ou ajoutez une autre route ; ' +
    'POST /admin/routes/{id}/accept-limits/ l’applique tout de suite.',
}

/** To the minute, in UTC. */
function momentOf(moment: Date): Text {
  const [day = '', time = ''] = moment.toISOString().slice(0, 16).split('T')
  const date = { en: day, fr: day.split('-').reverse().join('/') }
  return { en: `${date.en} ${time} UTC`, fr: `${date.fr} à ${time} UTC` }
}
