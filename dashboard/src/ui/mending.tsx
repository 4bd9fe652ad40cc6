// What a form that was refused makes of its fields from then on. It is loaded once there is such a
// form: until its file has come, a field that was mended is called wrong.

import { useEffect } from 'react'

export type Asked = HTMLInputElement | HTMLSelectElement

/** What a form has seen of its fields by itself, by their names. */
export type Checks = Readonly<{
  /** What it says of those that it needs and that are empty. */
  blanks: ReadonlyMap<string, string>
  /** Those that hold another value by now than the one that was refused. */
  mended: ReadonlySet<string>
}>

type Props = Readonly<{
  form: HTMLFormElement | null
  /** What was sent last. */
  sent: Readonly<{ current: FormData | undefined }>
  blanksIn: (form: HTMLFormElement) => Checks['blanks']
  setChecks: (change: (now: Checks) => Checks) => void
}>

/**
 * Each field is looked at again when it is left, a list when it is changed, never while one types:
 * what is empty is called so, what was refused is called wrong for as long as it is the same.
 */
export default function Mending({ form, sent, blanksIn, setChecks }: Props) {
  useEffect(() => {
    if (form === null) return undefined
    const lookAt = ({ name }: Readonly<{ name: string }>) => {
      const valueIn = (data?: FormData) => String(data?.getAll(name))
      const isSame = valueIn(new FormData(form)) === valueIn(sent.current)
      const blank = blanksIn(form).get(name)
      setChecks((now) => {
        const blanks = new Map(now.blanks)
        const mended = new Set(now.mended)
        blanks.delete(name)
        if (blank !== undefined) blanks.set(name, blank)
        mended.delete(name)
        if (!isSame) mended.add(name)
        return { blanks, mended }
      })
    }
    // What was mended before this file had come.
    for (const one of form.querySelectorAll<Asked>('[aria-invalid]')) {
      if (one !== document.activeElement) lookAt(one)
    }
    const onLeft = ({ target }: Event) => {
      if (isField(target)) whenLetGo(() => lookAt(target))
    }
    const onChosen = ({ target }: Event) => {
      if (target instanceof HTMLSelectElement) lookAt(target)
    }
    form.addEventListener('focusout', onLeft)
    form.addEventListener('change', onChosen)
    return () => {
      form.removeEventListener('focusout', onLeft)
      form.removeEventListener('change', onChosen)
    }
  }, [form, sent, blanksIn, setChecks])
  return null
}

const isField = (target: EventTarget | null): target is Asked | HTMLTextAreaElement =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement

const look_ms = 50

/** What moves under a finger that is down would not be pressed. */
function whenLetGo(act: () => void): void {
  const isDown = () => document.documentElement.matches(':active')
  setTimeout(() => (isDown() ? whenLetGo(act) : act()), look_ms)
}
