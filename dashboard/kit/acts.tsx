// What is pressed and what comes of it: buttons, links, a second step, what opens over the page.

import { useState } from 'react'
import { Confirm, GuardedButton } from '../src/parts/act.tsx'
import { Badge } from '../src/parts/payout-counts.tsx'
import { Tabs } from '../src/parts/tabs.tsx'
import { Dialog, Refused } from '../src/ui/act.tsx'
import { Asking, Saved } from '../src/ui/asking.tsx'
import { Copy } from '../src/ui/copy.tsx'
import { Facts } from '../src/ui/facts.tsx'
import { Button, Trace, TraceOf } from '../src/ui/form.tsx'
import { SignIcon } from '../src/ui/icons.tsx'
import { Link } from '../src/ui/link.tsx'
import { AskedFirst, Secret, SecretDialog } from '../src/ui/secret.tsx'
import { t } from '../src/words/translate.ts'
import { Case, nothing, refusal, refuses } from './values.tsx'

const Buttons = () => (
  <>
    <Case name="Button: act, plain, grave, busy; with a sign, pressed or not">
      <div className="acts">
        <Button>{t('continue')}</Button>
        <Button look="plain">{t('back')}</Button>
        <Button className="plain grave">{t('key_revoke')}</Button>
        <Button className="grave-act">{t('key_revoke')}</Button>
        <Button busy>{t('continue')}</Button>
        <Button look="plain" aria-pressed="true" aria-label={t('numbers_hide')}>
          <SignIcon sign="eye" />
        </Button>
        <Button look="plain" aria-pressed="false">
          <SignIcon sign="gear" />
          {t('arrange')}
        </Button>
      </div>
    </Case>
    <Case name="GuardedButton: allowed, and not">
      <GuardedButton name={t('key_revoke')} whyNot={undefined} onClick={nothing} />
      <GuardedButton
        name={t('key_revoke')}
        whyNot={{ text: t('not_while_suspended'), way: { href: '/me', name: t('me_open') } }}
        onClick={nothing}
      />
    </Case>
    <Case name="Copy, Saved">
      <Copy text="12500" name={t('copy')} />
      <Saved times={1} />
    </Case>
  </>
)

const address = '/dashboard/kit/link'
const approvals = { approval: 2, waiting: 0, unknown: 0, is_more: true }

const Links = () => (
  <>
    <Case name="Link: alone, as a button">
      <p>
        <Link href={address}>{t('all_payments')}</Link>
      </p>
      <Link className="button act" href={address}>
        {t('go_home')}
      </Link>
    </Case>
    <Case name="Tabs, Badge">
      <Tabs
        name={t('payouts')}
        tabs={[
          { path: '/link', name: t('all_payouts'), isOpen: true },
          { path: '/', name: t('to_approve'), sign: <Badge of={approvals} isNamed /> },
        ]}
      />
    </Case>
  </>
)

const Step = () => (
  <Case name="Confirm: refused once it is pressed">
    <Confirm title={t('payout_check')} act={t('confirm')} doing={refuses} onBack={nothing}>
      <Facts of={[[t('recipient_number'), '+229 01 97 00 00 10']]} />
    </Confirm>
  </Case>
)

function Dialogs() {
  const [open, setOpen] = useState<'dialog' | 'secret'>()
  const close = () => setOpen(undefined)
  return (
    <Case name="Dialog, SecretDialog, Asking: of what can be taken back, and of what cannot" opens>
      <div className="acts">
        <Button onClick={() => setOpen('dialog')}>{t('arrange')}</Button>
        <Button onClick={() => setOpen('secret')}>{t('hook_secret')}</Button>
        <Asking name={t('hook_rotate')} text={t('hook_rotate_how')} act={async () => nothing()} />
        <Asking name={t('key_revoke')} text={t('key_revoke_how')} isGrave act={refuses} />
      </div>
      {open === 'dialog' && (
        <Dialog title={t('arrange')} onClose={close}>
          <p className="hint">{t('arrange_how')}</p>
          <Button onClick={close}>{t('back')}</Button>
        </Dialog>
      )}
      {open === 'secret' && (
        <SecretDialog name={t('hook_secret')} secret="whsec_kit" onKept={close} />
      )}
    </Case>
  )
}

const Kept = () => (
  <Case name="Secret">
    <Secret name={t('key_secret')} secret="sk_test_kit" onKept={nothing} />
  </Case>
)

const Leaving = () => (
  <Case name="AskedFirst: the question before a page is left" opens>
    <AskedFirst isKept={false} onKept={nothing}>
      {(_, ask) => <Button onClick={ask}>{t('continue')}</Button>}
    </AskedFirst>
  </Case>
)

const Refusals = () => (
  <>
    <Case name="Refused: by the API, without an answer, without a network">
      <Refused failure={refusal()} />
      <Refused failure={{ is: 'unreached' }} />
      <Refused failure={{ is: 'offline' }} />
    </Case>
    <Case name="Trace, TraceOf">
      <Trace id="req-0123456789abcdef0123456789abcdef" />
      <TraceOf failure={refusal()} />
    </Case>
  </>
)

export const actPages = {
  ...{ button: Buttons, link: Links, step: Step, dialog: Dialogs, secret: Kept },
  ...{ leaving: Leaving, refusal: Refusals },
}
