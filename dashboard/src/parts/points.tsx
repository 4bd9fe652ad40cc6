// A chart of which one point can be chosen: by the arrow keys, Home and End, or by a finger on it.
// A native slider lies over the drawing, so that every screen reader says the point's own text.

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../words/translate.ts'

type PointsProps<Point> = Readonly<{
  /** What the chart is called. */
  name: string
  /** From left to right; whoever chooses begins with the last. */
  of: readonly Point[]
  /** What a point says; asked of the chosen one alone, of what may be a thousand. */
  textOf: (point: Point) => string
  /** The drawing, in which the points are equally far from each other. */
  children: ReactNode
  /** What stands between the drawing and what a point says. */
  axis?: ReactNode
  /** How it is read is said of the first chart of a screen alone. */
  isFirst?: boolean
}>

export function Points<Point>(props: PointsProps<Point>) {
  const { name, of, textOf, children, axis, isFirst = true } = props
  const last = of.length - 1
  const [at, setAt] = useState<number>()
  const slider = useRef<HTMLInputElement>(null)
  const point = at === undefined ? undefined : of[at]
  const text = point === undefined ? undefined : textOf(point)
  // Before it is painted: else the slider moves from where as many points as hours would be.
  useLayoutEffect(() => slider.current?.style.setProperty('--points', `${of.length}`), [of.length])
  return (
    <>
      <div className="points">
        {children}
        <input
          ref={slider}
          type="range"
          className={text === undefined ? 'unchosen' : ''}
          aria-label={name}
          aria-valuetext={text}
          min={0}
          max={last}
          value={at ?? last}
          onFocus={() => setAt((now) => now ?? last)}
          onInput={({ currentTarget: { value } }) => setAt(Number(value))}
        />
      </div>
      {axis}
      <p className={isFirst ? 'small point hinted' : 'small point'}>
        {text ?? (isFirst && <span className="mute">{t('chart_how')}</span>)}
      </p>
    </>
  )
}
