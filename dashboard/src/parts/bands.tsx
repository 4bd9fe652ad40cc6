// What is said over every screen of how things stand with the service: no network, asked to wait, a
// newer version is there. That one comes by itself only when the reader goes to another screen.

import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { isPageOld } from '../data/call.ts'
import { becomeOld, useConnection } from '../data/connection.ts'
import { oldestShown } from '../data/queries.ts'
import { writeMoment } from '../format/moment.ts'
import { Button } from '../ui/form.tsx'
import { languageNow, t } from '../words/translate.ts'

export function Bands() {
  const { isOnline, waits_until_ms, isOld } = useConnection()
  return (
    <>
      <div role="status">
        {!isOnline && <p className="band">{offlineSentence()}</p>}
        {isOld && (
          <p className="band">
            {t('new_version')}{' '}
            <Button look="plain" onClick={() => location.reload()}>
              {t('reload')}
            </Button>
          </p>
        )}
      </div>
      {waits_until_ms > 0 && <Waiting until_ms={waits_until_ms} />}
      <Version isOld={isOld} />
    </>
  )
}

/** By the reader's own clock: it is they who ask how long ago that was. */
function offlineSentence(): string {
  const at = oldestShown()
  if (at === undefined) return t('offline')
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
  const clock = { language: languageNow(), zone }
  return t('offline_as_of', { at: writeMoment(new Date(at).toISOString(), clock, new Date()) })
}

/** Not announced second by second. */
function Waiting({ until_ms }: { until_ms: number }) {
  const [now_ms, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = ((until_ms - now_ms) / 1_000).toFixed(0)
  return (
    <p className="band" role="timer">
      {t('too_many_calls', { seconds })}
    </p>
  )
}

const between_looks_ms = 600_000

function Version({ isOld }: { isOld: boolean }) {
  const [path] = useLocation()
  const shown = useRef(path)
  useEffect(() => {
    if (isOld && path !== shown.current) location.reload()
    shown.current = path
  }, [path, isOld])
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState === 'visible' && (await isPageOld())) becomeOld()
    }
    const timer = setInterval(look, between_looks_ms)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return null
}
