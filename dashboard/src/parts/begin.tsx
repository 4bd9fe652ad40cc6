// Where there is nothing yet: what will stand there, and how it comes to be.

import { Link } from '../ui/link.tsx'
import { type Key, t } from '../words/translate.ts'
import { useHere } from './place.tsx'

type BeginProps = Readonly<{
  text: string
  /** Where it begins; what the reader may not do is left out. */
  acts: readonly (readonly [path: string, name: Key, isAllowed: boolean])[]
}>

/** What is said where there is nothing yet: what will stand here, and how it comes to be. */
export function Begin({ text, acts }: BeginProps) {
  const { to } = useHere()
  const allowed = acts.filter(([, , isAllowed]) => isAllowed)
  return (
    <>
      <p>{text}</p>
      {allowed.length > 0 && (
        <div className="acts">
          {allowed.map(([path, name]) => (
            <Link key={path} className="button plain" href={to(path)}>
              {t(name)}
            </Link>
          ))}
        </div>
      )}
    </>
  )
}
