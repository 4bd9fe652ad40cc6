// The advice of `advice-on.ts`, as it stands in a list.

import { t } from '../words/translate.ts'
import { type Advised, adviceOn } from './advice-on.ts'

/** Under the status of one in a list. */
export function Advice({ of }: { of: Advised }) {
  const key = adviceOn(of)
  return key === undefined ? null : <span className="small line">{t(key)}</span>
}
