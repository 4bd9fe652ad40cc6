// A new webhook: where to, and which events. Its secret is shown once, with code that checks it.

import { useState } from 'react'
import { useLocation } from 'wouter'
import type {
  PostMerchantWebhooksData,
  PostMerchantWebhooksResponse,
  RegisteredWebhook,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'
import { EventChoice, eventsIn, useEventNames } from './event-choice.tsx'
import { SigningSecret } from './signing-secret.tsx'

export default function WebhookForm() {
  const { to } = useHere()
  const [, navigate] = useLocation()
  const [made, setMade] = useState<RegisteredWebhook>()
  const go = (id: string) => navigate(to(`/developers/webhooks/${id}`), { replace: true })
  return (
    <Page title={t('hook_new')}>
      <p>
        <Link href={to('/developers/webhooks')}>{t('all_hooks')}</Link>
      </p>
      <Allowed right="webhooks">
        {made === undefined ? (
          <NewWebhook onMade={setMade} />
        ) : (
          <SigningSecret secret={made.signing_secret} onKept={() => go(made.id)} />
        )}
      </Allowed>
    </Page>
  )
}

function NewWebhook({ onMade }: { onMade: (made: RegisteredWebhook) => void }) {
  const { place, environment } = useHere()
  const { failure, isBusy, run } = useAct()
  const names = useEventNames()
  const submit = (form: FormData) =>
    run(async () => {
      const events = eventsIn(form, names)
      const body = {
        url: textIn(form, 'url'),
        description: textIn(form, 'description'),
        environment,
        ...(events.length > 0 && { events }),
      }
      const made = await call<PostMerchantWebhooksData, PostMerchantWebhooksResponse>({
        ...{ method: 'POST', url: '/merchant-webhooks/', body, place },
      })
      await readAgain('/merchant-webhooks/')
      onMade(made)
    })
  return (
    <Form
      name={t('hook_new')}
      failure={failure}
      fields={['url', 'description', 'events']}
      onSubmit={submit}
    >
      <TextField
        label={t('hook_address')}
        hint={t('hook_address_hint')}
        error={errorAt(failure, 'url')}
        name="url"
        type="url"
        maxLength={2048}
        autoComplete="off"
        required
      />
      <TextField
        label={t('description')}
        hint={t('optional')}
        error={errorAt(failure, 'description')}
        name="description"
        maxLength={255}
        autoComplete="off"
      />
      <EventChoice chosen={[]} />
      {errorAt(failure, 'events') && <p className="wrong">{errorAt(failure, 'events')}</p>}
      <Button type="submit" busy={isBusy}>
        {t('hook_make')}
      </Button>
    </Form>
  )
}
