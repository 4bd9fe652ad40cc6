// What few need is loaded when the first event comes that asks for it, and is given that event.

import { Component, type ReactNode, Suspense, useEffect, useState } from 'react'

type Props<Kind extends keyof DocumentEventMap, Read> = Readonly<{
  event: Kind
  /** Undefined or null: not this one. */
  read: (event: DocumentEventMap[Kind]) => Read | undefined | null
  children: (first: Read) => ReactNode
}>

export function OnFirst<Kind extends keyof DocumentEventMap, Read>(props: Props<Kind, Read>) {
  const { event, read, children } = props
  const [first, setFirst] = useState<Readonly<{ is: Read }>>()
  const isThere = first !== undefined
  useEffect(() => {
    if (isThere) return
    const look = (of: DocumentEventMap[Kind]) => {
      const is = read(of)
      if (is !== undefined && is !== null) setFirst({ is })
    }
    document.addEventListener(event, look)
    return () => document.removeEventListener(event, look)
  }, [event, read, isThere])
  if (first === undefined) return null
  return (
    <Spared>
      <Suspense fallback={null}>{children(first.is)}</Suspense>
    </Spared>
  )
}

/** Without a network its file does not come: the screen does without it. */
class Spared extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError = () => ({ isBroken: true })

  override render() {
    return this.state.isBroken ? null : this.props.children
  }
}
