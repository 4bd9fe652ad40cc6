// A shop where nothing has happened yet has one thing to read, not four empty boxes; a demo's
// sandbox may be filled with examples.

import type {
  GetSandboxExamplesData,
  GetSandboxExamplesResponse,
  PostSandboxExamplesData,
  PostSandboxExamplesResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAllAgain, useRead } from '../../data/queries.ts'
import { Begin } from '../../parts/begin.tsx'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Button } from '../../ui/form.tsx'
import { Empty, Loading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'

export function Beginning() {
  const { place, may, environment } = useHere()
  const mayTry = environment === 'SANDBOX' && may('payins')
  const offer = useRead<GetSandboxExamplesData, GetSandboxExamplesResponse>(
    place,
    { url: '/sandbox/examples/' },
    { on: mayTry },
  )
  // Shown with its offer: nothing that one reads moves.
  if (mayTry && !offer.isFetched) return <Loading />
  return (
    <Empty>
      <Begin
        text={t(environment === 'SANDBOX' ? 'home_begins_test' : 'home_begins')}
        acts={[['/developers/sandbox', 'sandbox_customer', mayTry]]}
      />
      {offer.data?.possible === true && <Fill />}
    </Empty>
  )
}

function Fill() {
  const { place } = useHere()
  const { failure, isBusy, run } = useAct()
  const fill = async () => {
    await call<PostSandboxExamplesData, PostSandboxExamplesResponse>({
      ...{ method: 'POST', url: '/sandbox/examples/', place, body: { days: 60 } },
    })
    await readAllAgain()
  }
  return (
    <>
      <p>{t('examples_what')}</p>
      <Refused failure={failure} />
      <div className="acts">
        <Button look="plain" busy={isBusy} onClick={() => run(fill)}>
          {t('examples_fill')}
        </Button>
      </div>
    </>
  )
}
