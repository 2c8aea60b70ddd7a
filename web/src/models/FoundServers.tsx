import { useState } from 'preact/hooks'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { SelectField } from '../ui/Field.js'
import { Radar } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords } from '../words/index.js'
import { useServer, type FoundServer } from './use-server.js'

/** Lists model servers on the service's machine; searches for them only on request. */
export function FoundServers ({ look }: { look: () => Promise<FoundServer[]> }) {
  const [servers, setServers] = useState<FoundServer[] | null>(null)
  const { isBusy, error, run } = useRequest()
  const w = screenWords.value.models
  const find = async (): Promise<void> => {
    await run(async () => {
      setServers(await look())
    })
  }
  return (
    <section class='settings-block models-section'>
      <h2>{w.found}</h2>
      <p class='settings-note'>{w.lookNote}</p>
      {error === null ? null : <ErrorState error={error} {...(error.status !== 409 && { onRetry: () => { void find() } })} />}
      {servers === null
        ? null
        : servers.length === 0
          ? <p role='status' class='settings-note'>{w.nothingFound}</p>
          : (
            <ul class='providers'>
              {servers.map((server) => <FoundRow key={server.base_url} server={server} onUsed={() => { void find() }} />)}
            </ul>
            )}
      {error?.status === 409 ? null : <div><Button icon={Radar} busy={isBusy} onClick={() => { void find() }}>{w.look}</Button></div>}
    </section>
  )
}

function FoundRow ({ server, onUsed }: { server: FoundServer, onUsed: () => void }) {
  const [model, setModel] = useState(server.models[0]?.id ?? '')
  const w = screenWords.value.models
  const use = async (): Promise<void> => {
    if (await attempt(async () => await useServer(server, model))) { toast(w.setTo(model), { kind: 'good' }); onUsed() }
  }
  return (
    <li class='provider'>
      <div class='provider-head'>
        <h3 class='provider-name'>{server.display_name}</h3>
        {server.is_configured ? <Badge kind='good'>{w.inUse}</Badge> : null}
      </div>
      <p class='provider-note'>{server.base_url} · {w.modelCount(server.models_total)}</p>
      {server.is_configured || server.models.length === 0
        ? null
        : (
          <div class='provider-actions'>
            <SelectField
              label={w.endpointModel} bare value={model}
              choices={server.models.map(({ id, label }) => ({ key: id, text: label }))}
              onValue={setModel}
            />
            <Button kind='primary' label={`${w.use}: ${server.display_name}`} onClick={() => { void use() }}>{w.use}</Button>
          </div>
          )}
    </li>
  )
}
