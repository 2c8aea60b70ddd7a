import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { sayAgentFailed } from '../models/say-refused.js'
import { refreshModels } from '../models/store.js'
import { useServer, type FoundServer } from '../models/use-server.js'
import { Button } from '../ui/Button.js'
import { SelectField } from '../ui/Field.js'
import { useRequest } from '../ui/use-request.js'
import { words } from '../words/index.js'

type Agent = Wire<'AgentModesList'>['agents'][number]
type Ready = (name: string) => void

/**
 * Offers the model servers and agents that are found on the service's machine. Shows nothing if the search is not allowed or finds none.
 */
export function OnThisMachine ({ onConnected }: { onConnected: Ready }) {
  const [servers, setServers] = useState<readonly FoundServer[]>([])
  const [agents, setAgents] = useState<readonly Agent[]>([])
  useEffect(() => {
    let isGone = false
    api.post('/api/providers/discover')
      .then((found) => { if (!isGone) setServers(found.servers.filter(({ is_configured: isKnown }) => !isKnown)) }, () => {})
    api.get('/api/agents').then((found) => { if (!isGone) setAgents(found.agents.filter(({ problem }) => problem === null)) }, () => {})
    return () => { isGone = true }
  }, [])
  if (servers.length + agents.length === 0) return null
  return (
    <ul class='setup-found'>
      {servers.map((server) => <li key={server.base_url}><Server server={server} onConnected={onConnected} /></li>)}
      {agents.map((agent) => <li key={agent.id}><InstalledAgent agent={agent} onConnected={onConnected} /></li>)}
    </ul>
  )
}

function Server ({ server, onConnected }: { server: FoundServer, onConnected: Ready }) {
  const { display_name: name, models } = server
  const [model, setModel] = useState(models[0]?.id ?? '')
  const { isBusy, problem, run } = useRequest()
  const w = words.value.setup
  const use = async (): Promise<void> => {
    await useServer(server, model)
    onConnected(name)
  }
  return (
    <div class='setup-way'>
      <p><bdi>{w.found(name)}</bdi>{models.length === 0 ? <span class='setup-note'>{w.noModels}</span> : null}</p>
      {models.length === 0
        ? null
        : (
          <div class='setup-ways'>
            <SelectField
              label={w.model} bare value={model} choices={models.map(({ id, label }) => ({ key: id, text: label }))} onValue={setModel}
            />
            <Button busy={isBusy} label={`${w.use}: ${name}`} onClick={() => { void run(use) }}>{w.use}</Button>
          </div>
          )}
      {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
    </div>
  )
}

/** An installed agent. It is started once before it is chosen, because it may still need its own sign-in. */
function InstalledAgent ({ agent: { id, display_name: name }, onConnected }: { agent: Agent, onConnected: Ready }) {
  const { isBusy, problem, setProblem, run } = useRequest()
  const w = words.value.setup
  const use = async (): Promise<void> => {
    const tested = await api.post('/api/providers/test', { provider: id })
    if (!tested.ok) return setProblem(sayAgentFailed(tested, name))
    await api.post('/api/default-model', { model: 'default', provider: id })
    onConnected(name)
    await refreshModels()
  }
  return (
    <div class='setup-way'>
      <p><bdi>{w.agentFound(name)}</bdi><span class='setup-note'>{w.agentNote}</span></p>
      <div class='setup-ways'><Button busy={isBusy} label={`${w.use}: ${name}`} onClick={() => { void run(use) }}>{w.use}</Button></div>
      {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
    </div>
  )
}
