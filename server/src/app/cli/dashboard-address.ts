// `doctor`: whether the dashboard answers at its own host (DASHBOARD_URL). A proxy in front that
// puts another name into `Host` would have every reader led there for ever, and nobody signed in.

import { fail, named, pass, reasonText } from '../../gateways/findings.ts'
import type { Finding } from '../../gateways/gateway.ts'
import { assertNoTransaction } from '../../platform/db.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'

const what = named('DASHBOARD_URL')
const patience_ms = 10_000

/** None where the dashboard has no host of its own. */
export async function dashboardFindings(dashboard_url: string | null): Promise<Finding[]> {
  if (dashboard_url === null) return []
  const client = createOutbound({ assertNoTransaction })
  try {
    const url = `${dashboard_url}/dashboard`
    const asked = { method: 'GET', url, timeout_ms: patience_ms, truncate: true }
    const result = await client.send(asked)
    if (result.is !== 'answered') {
      const reason = reasonText(result.because)
      const found = {
        en: `${dashboard_url}: ${reason.en}`,
        fr: `${dashboard_url} : ${reason.fr}`,
      }
      return [fail(what, found, unreached)]
    }
    if (result.status === 200 && !result.body.includes('<meta name="api"')) {
      const found = {
        en: `${url} answers as a service without DASHBOARD_URL does`,
        fr: `${url} répond comme un service sans DASHBOARD_URL`,
      }
      return [fail(what, found, unset)]
    }
    if (result.status === 200) {
      const found = { en: `${url} answers`, fr: `${url} répond` }
      return [pass(what, found)]
    }
    const found = {
      en: `${url} answers ${result.status}`,
      fr: `${url} répond ${result.status}`,
    }
    return [fail(what, found, isLed(result.status) ? renamed : unreached)]
  } finally {
    await client.close()
  }
}

const isLed = (status: number): boolean => status >= 300 && status < 400

const unreached = {
  en: 'Compare DASHBOARD_URL with its name, its certificate and the proxy in front of it.',
  fr: 'Vérifiez DASHBOARD_URL, son nom, son certificat et le proxy placé devant.',
}

/** Its page says where programs call, which it does only where the setting is. */
const unset = {
  en: 'Start every process of the service with DASHBOARD_URL, and compare the name.',
  fr: 'Démarrez chaque processus du service avec DASHBOARD_URL, et vérifiez le nom.',
}

const renamed = {
  en: 'The proxy in front must leave the header Host as the browser sent it, with its port.',
  fr: 'Le proxy placé devant doit transmettre l’en-tête Host tel que le navigateur l’envoie.',
}
