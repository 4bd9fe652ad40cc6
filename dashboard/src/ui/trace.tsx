// What support asks for of a refusal. It is loaded once there was one.

import { t } from '../words/translate.ts'
import { Copy } from './copy.tsx'

export type TraceProps = Readonly<{
  /** By which the service's log knows it; '': it has none. */
  id: string
  /** What programs know it by. */
  code?: string
}>

export default function Trace({ id, code = '' }: TraceProps) {
  if (id + code === '') return null
  return (
    <div className="acts mute small">
      {code !== '' && <code>{code}</code>}
      {id !== '' && (
        <>
          <span>{t('request_id', { id })}</span>
          <Copy text={id} name={t('request_id_copy')} />
        </>
      )}
    </div>
  )
}
