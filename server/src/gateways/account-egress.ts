// The way out that the calls of an account take: straight to its operator, or through an HTTP proxy
// by CONNECT. Law: who may choose the proxy by the API chooses among those that the service names,
// because it connects to whatever stands there.

import type { Text } from '../platform/errors.ts'
import type { OutboundProxy } from '../platform/outbound/agents.ts'
import type { Account, SettingSpec } from './adapter.ts'

const ofEvery = { required: false, environments: ['SANDBOX', 'LIVE'] as const } as const

/** Of every operator, beside its own. */
export const egressSettings: readonly SettingSpec[] = [
  {
    ...ofEvery,
    key: 'egress_proxy',
    secret: false,
    pattern: /^http:\/\/(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/,
    // Where payments are found does not change with it.
    changes_in_use: true,
    help: {
      en:
        'HTTP proxy that calls of this account go through (CONNECT), with its port, such as ' +
        'http://10.0.0.5:3128. User and password go into egress_proxy_login. Empty as a rule.',
      fr:
        'Proxy HTTP par lequel passent les appels de ce compte (CONNECT), avec son port : ' +
        'http://10.0.0.5:3128. Identifiants dans egress_proxy_login. Vide en général.',
    },
  },
  {
    ...ofEvery,
    key: 'egress_proxy_login',
    secret: true,
    pattern: /^[\x21-\x39\x3b-\x7e]{1,255}:[\x20-\x7e]{1,255}$/,
    help: {
      en: 'user:password for egress_proxy, where it wants to know who comes. Empty as a rule.',
      fr: 'utilisateur:mot-de-passe pour egress_proxy, s’il en demande. Vide en général.',
    },
  },
]

/** Undefined where calls go straight. */
export function egressOf({
  settings,
  secrets,
}: Pick<Account, 'settings' | 'secrets'>): OutboundProxy | undefined {
  const url = settings['egress_proxy'] || undefined
  const login = secrets['egress_proxy_login'] || undefined
  return url === undefined ? undefined : { url, ...(login === undefined ? {} : { login }) }
}

/** Host and port in one form. */
const placeOf = (url: string): string => {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || '80'}`
}

/**
 * What is wrong with the proxy of settings that have the right form; never its value. `named`:
 * those that may be chosen; undefined: any.
 */
export function egressFaults(
  { egress_proxy = '' }: Account['settings'],
  named: readonly string[] | undefined,
): { key: string; text: Text }[] {
  if (egress_proxy === '') return []
  const key = 'egress_proxy'
  if (!URL.canParse(egress_proxy)) return [{ key, text: noAddress }]
  if (named === undefined || named.some((one) => placeOf(one) === placeOf(egress_proxy))) return []
  return [{ key, text: named.length === 0 ? noneNamed : useNamed(named.join(', ')) }]
}

const noAddress: Text = {
  en: 'egress_proxy is no address: write http://, its host, a colon and its port.',
  fr: 'egress_proxy n’est pas une adresse : écrivez http://, l’hôte, deux-points et le port.',
}

const noneNamed: Text = {
  en: 'egress_proxy: the service names no proxy. Have whoever runs it set EGRESS_PROXIES.',
  fr: 'egress_proxy : le service ne nomme aucun proxy. Faites définir EGRESS_PROXIES.',
}

const useNamed = (all: string): Text => ({
  en: `egress_proxy: use one that EGRESS_PROXIES of the service names (${all}).`,
  fr: `egress_proxy : utilisez un proxy que EGRESS_PROXIES du service nomme (${all}).`,
})
