import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { Badge } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { Switch } from '../ui/Field.js'
import { Plus } from '../ui/icons.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { Confirm } from './Confirm.js'
import { Loaded } from '../ui/Loaded.js'
import { isPage, mcpCopyOf, type McpServer } from './mcp-form.js'
import { createMcpList } from './mcp-list.js'
import { McpDialog } from './McpDialog.js'

const mcp = createMcpList({ api })
const { servers } = mcp
const refresh = (): void => { void servers.refresh() }

/** Lists MCP servers and their state. */
export function McpServers () {
  const [isAdding, setAdding] = useState(false)
  const [isReloading, setReloading] = useState(false)
  const w = screenWords.value.mcp
  useEffect(() => {
    const stop = mcp.watch()
    // A person who returns from a sign-in page sees the result.
    const look = (): void => { if (document.visibilityState === 'visible') refresh() }
    document.addEventListener('visibilitychange', look)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  const reload = async (): Promise<void> => {
    setReloading(true)
    await attempt(async () => servers.set(await api.post('/api/mcp/reload')))
    setReloading(false)
  }
  const names = servers.value.value?.servers.map(({ name }) => name) ?? []
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
        <Button kind='quiet' busy={isReloading} onClick={() => { void reload() }}>{w.reload}</Button>
      </div>
      {isAdding ? <McpDialog server={null} names={names} onClose={() => setAdding(false)} onSaved={refresh} /> : null}
    </>
  )
}

const kinds = { disabled: 'neutral', idle: 'neutral', starting: 'accent', ready: 'good', needs_sign_in: 'bad', failed: 'bad' } as const

/** Runs an operation on a server, then reads its state. */
async function changed (act: () => Promise<unknown>): Promise<boolean> {
  const isDone = await attempt(act)
  await servers.refresh()
  return isDone
}

function McpRow ({ server }: { server: McpServer }) {
  const [isEditing, setEditing] = useState(false)
  const w = screenWords.value.mcp
  const { name, status, enabled } = server
  return (
    <li class='provider'>
      <div class='provider-head'><h3 class='provider-name'>{name}</h3><Badge kind={kinds[status]}>{w.status[status]}</Badge></div>
      <p class='provider-note'><bdi>{server.url ?? [server.command, ...server.args].join(' ')}</bdi></p>
      {server.error === null ? null : <p class='provider-bad' role='status'>{server.error}</p>}
      <Switch
        label={w.enabled} checked={enabled}
        onChecked={(isOn) => {
          void changed(async () => await api.change('patch', '/api/mcp/servers/{name}', { name }, { enabled: isOn }))
        }}
      />
      <div class='provider-actions'>
        {enabled ? <Test server={server} /> : null}
        <SignIn server={server} />
        <Button label={`${w.edit}: ${name}`} onClick={() => setEditing(true)}>{w.edit}</Button>
        <Remove server={server} />
      </div>
      <Tools server={server} />
      {server.log.length === 0
        ? null
        : <Disclosure summary={w.log}>{() => <pre class='settings-log' tabIndex={0}>{server.log.join('\n')}</pre>}</Disclosure>}
      {isEditing ? <McpDialog server={server} names={[]} onClose={() => setEditing(false)} onSaved={refresh} /> : null}
    </li>
  )
}

/** Starts a server and lists its tools, so that a problem shows now and not in the middle of a turn. */
function Test ({ server: { name, status } }: { server: McpServer }) {
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.mcp
  const test = async (): Promise<void> => {
    setBusy(true)
    await changed(async () => {
      const { server } = await api.change('post', '/api/mcp/servers/{name}/restart', { name })
      if (server.status === 'ready') toast(w.works(name, server.tools_count), { kind: 'good' })
      else if (server.status === 'failed') toast(server.error ?? w.status.failed, { kind: 'bad' })
    })
    setBusy(false)
  }
  const action = status === 'ready' ? w.restart : w.test
  return <Button busy={isBusy || status === 'starting'} label={`${action}: ${name}`} onClick={() => { void test() }}>{action}</Button>
}

/** Starts a sign-in, which continues on another page and returns to the service; this window notices that on its own. */
function SignIn ({ server: { name, status, signed_in: isSignedIn } }: { server: McpServer }) {
  const [isBusy, setBusy] = useState(false)
  const address = mcp.signIns.value.get(name)
  const w = screenWords.value.mcp
  const signIn = async (): Promise<void> => {
    // Opened at once, because browsers allow that only during a click.
    const page = window.open('about:blank', '_blank')
    setBusy(true)
    const isBegun = await attempt(async () => {
      const url = await mcp.signIn(name)
      if (!isPage(url) || page === null) return
      page.opener = null
      page.location.replace(url)
    })
    if (!isBegun) page?.close()
    setBusy(false)
  }
  const signOut = async (): Promise<void> => {
    if (await changed(async () => await api.change('delete', '/api/mcp/servers/{name}/sign-in', { name }))) toast(w.signedOut(name))
  }
  return (
    <>
      {status === 'needs_sign_in'
        ? <Button kind='primary' busy={isBusy} label={`${w.signIn}: ${name}`} onClick={() => { void signIn() }}>{w.signIn}</Button>
        : null}
      {address === undefined || !isPage(address)
        ? null
        : <span role='status'>{w.waits} <a href={address} target='_blank' rel='noreferrer'>{w.signInHere}</a></span>}
      {isSignedIn ? <Button label={`${w.signOut}: ${name}`} onClick={() => { void signOut() }}>{w.signOut}</Button> : null}
    </>
  )
}

/** Removes a server. Asks first if it has values, such as variables or headers: they are never shown, so it could not be restored. */
function Remove ({ server }: { server: McpServer }) {
  const [isAsking, setAsking] = useState(false)
  const w = screenWords.value.mcp
  const { name } = server
  const copy = mcpCopyOf(server)
  const back = async (): Promise<void> => {
    await changed(async () => await api.change('put', '/api/mcp/servers/{name}', { name }, copy ?? {}))
  }
  const remove = async (): Promise<void> => {
    if (!await changed(async () => await api.change('delete', '/api/mcp/servers/{name}', { name }))) return
    toast(w.removed(name), copy === null ? {} : { action: { text: words.value.common.undo, onPick: () => { void back() } } })
  }
  return (
    <>
      <Button kind='danger' label={`${w.remove}: ${name}`} onClick={() => { if (copy === null) setAsking(true); else void remove() }}>
        {w.remove}
      </Button>
      {isAsking
        ? <Confirm title={w.removeTitle(name)} note={w.removeNote} action={w.remove} onConfirm={remove} onClose={() => setAsking(false)} />
        : null}
    </>
  )
}

function Tools ({ server: { tools, tools_count: count, left_out: leftOut } }: { server: McpServer }) {
  const w = screenWords.value.mcp
  if (tools.length === 0 && leftOut.length === 0) return null
  return (
    <Disclosure summary={w.tools(count)}>
      {() => (
        <ul class='provider-models'>
          {tools.map(({ tool, description }) => <li key={tool}><b>{tool}</b> {description}</li>)}
          {leftOut.map(({ tool, reason }, at) => <li key={`${at} ${tool}`}>{w.leftOut(tool, reason)}</li>)}
        </ul>
      )}
    </Disclosure>
  )
}
