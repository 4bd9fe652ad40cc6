// What in live wants a code of the second factor asks for it over the page, then does the very same
// call again. One code serves all calls that wait.

import { useEffect, useState } from 'react'
import { freshenBy, useSession } from '../data/session.ts'
import { askForCodeBy, Dialog, useAct } from '../ui/act.tsx'
import { Button, Form, textIn } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { t } from '../words/translate.ts'
import { CodeField } from './code-field.tsx'

type Answer = (isGiven: boolean) => void

export function SecondFactor() {
  const session = useSession()
  const [waiting, setWaiting] = useState<readonly Answer[]>([])
  useEffect(() => {
    askForCodeBy(() => new Promise((answer) => setWaiting((all) => [...all, answer])))
  }, [])
  if (waiting.length === 0 || session.is !== 'in') return null
  const end = (isGiven: boolean) => {
    setWaiting([])
    for (const answer of waiting) answer(isGiven)
  }
  return (
    <Dialog title={t('code_wanted')} onClose={() => end(false)}>
      {session.me.member.totp_enabled ? <CodeForm end={end} /> : <NotEnrolled end={end} />}
    </Dialog>
  )
}

function CodeForm({ end }: { end: Answer }) {
  const { failure, isBusy, run } = useAct()
  const submit = async (form: FormData) => {
    const code = textIn(form, 'code')
    const isGiven = await run(() => freshenBy(code))
    if (isGiven) end(true)
  }
  return (
    <Form name={t('code_wanted')} failure={failure} fields={['code']} onSubmit={submit}>
      <p>{t('code_wanted_why')}</p>
      <CodeField name="code" failure={failure} />
      <Button type="submit" busy={isBusy}>
        {t('continue')}
      </Button>
      <Button look="plain" onClick={() => end(false)}>
        {t('cancel')}
      </Button>
    </Form>
  )
}

const NotEnrolled = ({ end }: { end: Answer }) => (
  <>
    <p>{t('code_not_enrolled')}</p>
    <div className="acts">
      <Link className="button act" href="/me/security" onClick={() => end(false)}>
        {t('code_enrol')}
      </Link>
      <Button look="plain" onClick={() => end(false)}>
        {t('cancel')}
      </Button>
    </div>
  </>
)
