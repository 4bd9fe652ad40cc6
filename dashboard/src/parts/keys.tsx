// What keys do everywhere: `/` leads to the search, `g` and a letter to a place, `.` shows what is
// new in a list, others do what the screen has for them, `?` says which keys there are. They do
// nothing in a field, and can be turned off. Ctrl K opens the palette, which has a file of its own.

import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { areKeysOn, chooseKeys } from '../data/choices.ts'
import { maySee } from '../data/rights.ts'
import { Dialog } from '../ui/act.tsx'
import { Button } from '../ui/form.tsx'
import { type Key, t } from '../words/translate.ts'
import { keyActs } from './key-acts.ts'
import { useHere } from './place.tsx'
import { type Pressed, readKey } from './which-key.ts'

const isMac = /Mac|iP/.test(navigator.platform)

/** By the letter after `g`. */
const places: Readonly<Record<string, readonly [path: string, name: Key]>> = {
  h: ['', 'home'],
  p: ['/payments', 'payments'],
  o: ['/payouts', 'payouts'],
  b: ['/balances', 'balances'],
  s: ['/settlements', 'settlements'],
  l: ['/links', 'links'],
  c: ['/customers', 'customers'],
  r: ['/reports', 'reports'],
  d: ['/developers', 'developers'],
  w: ['/developers/webhooks', 'dev_webhooks'],
  k: ['/developers/keys', 'dev_keys'],
  t: ['/team', 'team'],
}

/** `first`: what was pressed before this was there. */
export default function Keys({ first }: Readonly<{ first: Pressed }>) {
  const { to, merchant } = useHere()
  const [, navigate] = useLocation()
  /** The keys of this screen, as they were when help was asked for. */
  const [help, setHelp] = useState<readonly string[]>()
  const isBegun = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it listens from here on
  useEffect(() => {
    const act = (pressed: Pressed | undefined) => {
      // The list that a record came from stays one step back.
      const open = (path: string) => navigate(`~${path}`, { replace: true })
      const actOf = (key: string) => keyActs[key]?.here(open)
      if (pressed === 'help') setHelp(Object.keys(keyActs).filter((key) => actOf(key)))
      if (pressed?.startsWith('do ')) actOf(pressed.slice(3))?.()
      if (pressed === 'newer') {
        document.querySelector<HTMLButtonElement>('.newer [role=status] button')?.click()
      }
      const [, letter = ''] = /^go (.)$/.exec(pressed ?? '') ?? []
      const [path] = places[letter] ?? []
      if (path !== undefined && maySee(merchant, path)) navigate(to(path))
      if (pressed !== 'search') return
      const field = document.querySelector<HTMLInputElement>('.to-search input, main input[name=q]')
      if (field === null) navigate(to('/search'))
      else field.focus()
    }
    // At another merchant it listens anew, and nothing was pressed there.
    if (!isBegun.current) act(first)
    isBegun.current = true
    const onKey = (event: KeyboardEvent) => act(readKey(event))
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [to('')])
  return help && <Help keys={help} close={() => setHelp(undefined)} />
}

type HelpProps = Readonly<{ keys: readonly string[]; close: () => void }>

function Help({ keys, close }: HelpProps) {
  const { merchant } = useHere()
  const [isOn, setIsOn] = useState(areKeysOn)
  const own = Object.entries(keyActs).filter(([key]) => keys.includes(key))
  const rows = [
    ...own.map(([key, { name }]) => [key, t(name)] as const),
    ['/', t('keys_search')],
    [`${isMac ? '⌘' : 'Ctrl'} K`, t('keys_palette')],
    ...(document.querySelector('.newer') ? [['.', t('keys_newer')] as const] : []),
    [`Ctrl ${t('keys_enter')}`, t('keys_send')],
    ...Object.entries(places)
      .filter(([, [path]]) => maySee(merchant, path))
      .map(([letter, [, name]]) => [`g ${letter}`, t(name)] as const),
    ['?', t('keys_help')],
    ['Esc', t('keys_leave')],
  ] as const
  return (
    <Dialog title={t('keys_title')} onClose={close}>
      <label className="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget: { checked } }) => {
            chooseKeys(checked)
            setIsOn(checked)
          }}
        />
        {t('keys_off')}
      </label>
      <p>{t('keys_how')}</p>
      <dl>
        {rows.map(([key, does]) => (
          <div key={key}>
            <dt>{does}</dt>
            <dd>
              <kbd>{key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <Button onClick={close}>{t('back')}</Button>
    </Dialog>
  )
}
