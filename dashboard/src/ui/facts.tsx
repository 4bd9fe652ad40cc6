// What a record says of itself: names and values in two columns, those without a value left out;
// and text as it is on the wire.

import { type ReactNode, useId } from 'react'

export type FactRow = readonly [name: string, value: ReactNode]

type FactsProps = Readonly<{
  of: readonly FactRow[]
  /** Sentences, which stand below their names. */
  isProse?: boolean
}>

/** What is empty is left out. */
export const Facts = ({ of, isProse = false }: FactsProps) => (
  <dl className={isProse ? 'prose' : undefined}>
    {of
      .filter(([, value]) => !absent.includes(value))
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
  </dl>
)

const absent: readonly ReactNode[] = ['', null, undefined, false]

type CodeProps = Readonly<{ name: string; text: string; isFolded?: boolean }>

/** Text as it is on the wire; what is wide scrolls in a region of its own. */
export function Code({ name, text, isFolded = false }: CodeProps) {
  const id = useId()
  const block = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section className="code" aria-label={name} id={id} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
  if (!isFolded) return block
  return (
    <details>
      <summary>{name}</summary>
      {block}
    </details>
  )
}
