import { Plus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/api.js'
import { createResource } from '../core/resource.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Switch } from '../ui/Field.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { Loaded } from './Loaded.js'
import { McpDialog } from './McpDialog.js'

const servers = createResource(async () => await api.get('/api/mcp/servers'))

/** Servers that give the agent more tools, and how they do. */
export function McpServers () {
  const [isAdding, setAdding] = useState(false)
  const w = screenWords.value.mcp
  const reload = async (): Promise<void> => { await attempt(async () => servers.set(await api.post('/api/mcp/reload'))) }
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <Loaded of={servers}>
        {({ servers: list }) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : <ul class='settings-list'>{list.map((server) => <McpRow key={server.name} server={server} />)}</ul>}
      </Loaded>
      <div class='settings-actions'>
        <Button icon={Plus} onClick={() => setAdding(true)}>{w.add}</Button>
        <Button kind='quiet' onClick={() => { void reload() }}>{w.reload}</Button>
      </div>
      {isAdding ? <McpDialog server={null} onClose={() => setAdding(false)} onSaved={() => { void servers.refresh() }} /> : null}
    </>
  )
}

const kinds = { disabled: 'neutral', idle: 'neutral', starting: 'accent', ready: 'good', needs_sign_in: 'bad', failed: 'bad' } as const

function McpRow ({ server }: { server: Wire<'McpServer'> }) {
  const [isEditing, setEditing] = useState(false)
  const [isRestarting, setRestarting] = useState(false)
  const [address, setAddress] = useState<string | null>(null)
  const w = screenWords.value.mcp
  const { name, status, enabled, tools } = server
  const changed = async (act: () => Promise<unknown>): Promise<boolean> => {
    const isDone = await attempt(act)
    await servers.refresh()
    return isDone
  }
  const restart = async (): Promise<void> => {
    setRestarting(true)
    await changed(async () => await api.change('post', '/api/mcp/servers/{name}/restart', { name }))
    setRestarting(false)
  }
  const remove = async (): Promise<void> => { if (await changed(async () => await api.change('delete', '/api/mcp/servers/{name}', { name }))) toast(w.removed(name)) }
  const signOut = async (): Promise<void> => { if (await changed(async () => await api.change('delete', '/api/mcp/servers/{name}/sign-in', { name }))) toast(w.signedOut(name)) }
  return (
    <li class='provider'>
      <div class='provider-head'><h3 class='provider-name'>{name}</h3><Badge kind={kinds[status]}>{w.status[status]}</Badge></div>
      <p class='provider-note'>{server.url ?? [server.command, ...server.args].join(' ')}</p>
      {server.error === null ? null : <p class='provider-bad'>{server.error}</p>}
      <Switch label={w.enabled} checked={enabled} onChecked={(isOn) => { void changed(async () => await api.change('patch', '/api/mcp/servers/{name}', { name }, { enabled: isOn })) }} />
      <div class='provider-actions'>
        {enabled ? <Button busy={isRestarting} label={`${w.restart}: ${name}`} onClick={() => { void restart() }}>{w.restart}</Button> : null}
        {status === 'needs_sign_in' && address === null ? <Button kind='primary' label={`${w.signIn}: ${name}`} onClick={() => { void attempt(async () => setAddress((await api.change('post', '/api/mcp/servers/{name}/sign-in', { name })).url)) }}>{w.signIn}</Button> : null}
        {address === null ? null : <a href={address} target='_blank' rel='noreferrer'>{w.signInHere}</a>}
        {server.signed_in ? <Button label={`${w.signOut}: ${name}`} onClick={() => { void signOut() }}>{w.signOut}</Button> : null}
        <Button label={`${w.edit}: ${name}`} onClick={() => setEditing(true)}>{w.edit}</Button>
        <Button kind='danger' label={`${w.remove}: ${name}`} onClick={() => { void remove() }}>{w.remove}</Button>
      </div>
      {tools.length === 0 && server.left_out.length === 0
        ? null
        : (
          <Disclosure summary={w.tools(server.tools_count)}>
            {() => (
              <ul class='provider-models'>
                {tools.map(({ tool, description }) => <li key={tool}><b>{tool}</b> {description}</li>)}
                {server.left_out.map(({ tool, reason }) => <li key={tool}>{w.leftOut(tool, reason)}</li>)}
              </ul>
            )}
          </Disclosure>
          )}
      {server.log.length === 0 ? null : <Disclosure summary={w.log}>{() => <pre class='settings-log' tabIndex={0}>{server.log.join('\n')}</pre>}</Disclosure>}
      {isEditing ? <McpDialog server={server} onClose={() => setEditing(false)} onSaved={() => { void servers.refresh() }} /> : null}
    </li>
  )
}
