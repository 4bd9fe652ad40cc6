// A form of the settings: saved by itself, its faults at its fields.

import { type ReactNode, useState } from 'react'
import type { PatchMerchantData, PatchMerchantResponse } from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { readSession } from '../../data/session.ts'
import { useChanges } from '../../parts/changes.ts'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Saved } from '../../ui/asking.tsx'
import { Button, Form } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'

type Body = NonNullable<PatchMerchantData['body']>

type PatchProps = Readonly<{
  name: string
  fields: readonly string[]
  /** What the fields begin with: only what is other than that is sent. Without it all is. */
  drawn?: Body
  body: (form: FormData) => Body
  children: (failure: Failure | undefined) => ReactNode
}>

/** One part of the settings; what it does not name keeps its value. */
export function Patch({ name, fields, drawn, body, children }: PatchProps) {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const [times, setTimes] = useState(0)
  const { save } = useChanges<Body>(drawn ?? {})
  const submit = async (form: FormData) => {
    const isDone = await run(async () => {
      const now = body(form)
      await save(now, (changes) =>
        call<PatchMerchantData, PatchMerchantResponse>({
          ...{ method: 'PATCH', url: '/merchant/', place },
          body: drawn === undefined ? now : changes,
        }),
      )
      await readAgain('/merchant/')
      await readSession()
    })
    if (isDone) setTimes(times + 1)
  }
  return (
    <section>
      <h2>{name}</h2>
      <Form name={name} failure={failure} fields={fields} onSubmit={submit}>
        {children(failure)}
        <Button type="submit" look="plain" busy={isBusy}>
          {t('save')}
        </Button>
        <Saved times={times} />
      </Form>
    </section>
  )
}
