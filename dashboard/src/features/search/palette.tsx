// The palette of commands: Ctrl K opens a field over the screen. Under it stand screens, what one
// may begin, one's shops, and what the search finds. Enter follows the one that is chosen.

import { useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { GetSearchData, GetSearchResponse } from '../../api/types.gen.ts'
import { useRead } from '../../data/queries.ts'
import { useHere } from '../../parts/place.tsx'
import { isPalette } from '../../parts/which-key.ts'
import { Dialog } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'
import { type Command, commandsOf, type Group, narrow } from './commands.ts'
import { detailOf, pathOf } from './found.tsx'
import '../../ui/palette.css'

/** It comes with the key that opens it. */
export default function Palette() {
  const [location] = useLocation()
  /** On another screen, by whichever way, it is closed. */
  const [openAt, setOpenAt] = useState<string | undefined>(location)
  // Nor is it there again for whoever comes back to this one.
  if (openAt !== undefined && openAt !== location) setOpenAt(undefined)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isPalette(event) === true) setOpenAt(location)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [location])
  const close = () => setOpenAt(undefined)
  return openAt === location ? (
    <Dialog title={t('palette')} onClose={close}>
      <Choices close={close} />
    </Dialog>
  ) : null
}

const pause_ms = 300
const shortest = 2

/** What is typed, once its reader pauses: one question for a word, not one a letter. */
function usePaused(typed: string): string {
  const [paused, setPaused] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setPaused(typed), pause_ms)
    return () => clearTimeout(timer)
  }, [typed])
  return paused
}

function useFound(typed: string): Command[] {
  const { place, to, amount, phone } = useHere()
  const q = usePaused(typed)
  const on = q.length >= shortest
  const { data, isPlaceholderData } = useRead<GetSearchData, GetSearchResponse>(
    place,
    { url: '/search/', query: { q } },
    { on },
  )
  // What the word before it found is no answer to this one.
  if (!on || q !== typed || isPlaceholderData) return []
  return (data?.groups ?? []).flatMap(({ kind, results }) =>
    results.map((of) => {
      const { title, currency } = of
      const sum = of.amount !== null && currency !== null && amount(of.amount, currency)
      const texts = [sum, phone(title) || title || t('customer_erased'), detailOf(of, phone)]
      return { name: texts.filter(Boolean).join(' · '), href: to(pathOf(kind, of)) }
    }),
  )
}

/** In the order in which they stand. */
function useGroups(typed: string): readonly Group[] {
  const here = useHere()
  const found = useFound(typed)
  const known = narrow(commandsOf(here), typed)
  if (typed.length < shortest) return known
  const all = {
    name: t('palette_search', { q: typed }),
    href: here.to(`/search?${new URLSearchParams({ q: typed })}`),
  }
  return [...known, { name: 'palette_found', commands: [...found, all] }]
}

const keyOf = ({ href, name }: Command): string => `${href} ${name}`

/** The keys of a list that a field has under it; others are the field's own. */
const steps: Readonly<Partial<Record<string, 1 | -1>>> = { ArrowDown: 1, ArrowUp: -1 }

function Choices({ close }: { close: () => void }) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  /** It stays the chosen one while others come above it; until one is, the first is. */
  const [chosen, setChosen] = useState<string>()
  const groups = useGroups(typed.trim())
  const commands = groups.flatMap((group) => group.commands)
  const now = commands.find((command) => keyOf(command) === chosen) ?? commands[0]
  const idOf = (command: Command) => `${id}-${commands.indexOf(command)}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [now && keyOf(now)])
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = steps[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.click()
    }
    if (step === undefined || commands.length === 0) return
    event.preventDefault()
    const at = now === undefined ? 0 : commands.indexOf(now)
    const next = commands[(at + step + commands.length) % commands.length]
    setChosen(next && keyOf(next))
  }
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={t('palette_what')}
        placeholder={t('palette_what')}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={now && idOf(now)}
        autoComplete="off"
        maxLength={200}
        value={typed}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value)
          setChosen(undefined)
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={id} role="listbox" aria-label={t('palette')} className="palette">
        {groups.map((group) => (
          <Options
            key={group.name}
            of={group}
            id={`${id}-${group.name}`}
            {...{ now, idOf, close }}
          />
        ))}
      </div>
      <p role="status" className="mute small">
        {t('palette_count', { count: commands.length })}
      </p>
      <Button look="plain" onClick={close}>
        {t('back')}
      </Button>
    </>
  )
}

type OptionsProps = Readonly<{
  of: Group
  id: string
  now: Command | undefined
  idOf: (command: Command) => string
  close: () => void
}>

/** Links, so that they lead as links do; the focus stays in the field. */
const Options = ({ of: { name, commands }, id, now, idOf, close }: OptionsProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
  <div role="group" aria-labelledby={id}>
    <div id={id} role="presentation" className="mute small">
      {t(name)}
    </div>
    {commands.map((command) => (
      <Link
        key={keyOf(command)}
        id={idOf(command)}
        role="option"
        tabIndex={-1}
        aria-selected={command === now}
        href={command.href}
        onClick={close}
      >
        <bdi>{command.name}</bdi>
      </Link>
    ))}
  </div>
)
