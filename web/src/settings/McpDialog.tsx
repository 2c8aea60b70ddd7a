import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError, type Wire } from '../core/api.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Switch, TextArea, TextField } from '../ui/Field.js'
import { Segmented } from '../ui/Segmented.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { linesOf, parseValues } from './mcp-form.js'

/** Sets an MCP server up, or changes one; what this form does not show stays as it is. */
export function McpDialog ({ server, onClose, onSaved }: { server: Wire<'McpServer'> | null, onClose: () => void, onSaved: () => void }) {
  const [kind, setKind] = useState<'stdio' | 'http'>(server?.transport ?? 'stdio')
  const [name, setName] = useState(server?.name ?? '')
  const [command, setCommand] = useState(server?.command ?? '')
  const [args, setArgs] = useState(server?.args.join('\n') ?? '')
  const [cwd, setCwd] = useState(server?.cwd ?? '')
  const [url, setUrl] = useState(server?.url ?? '')
  const [values, setValues] = useState((server?.transport === 'http' ? server.headers : server?.env ?? []).join('\n'))
  const [isSandboxed, setSandboxed] = useState(server?.sandbox ?? false)
  const [mayAsk, setMayAsk] = useState(server?.sampling ?? false)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.mcp
  const save = async (): Promise<void> => {
    if (name.trim() === '') return setProblem(w.wrongName)
    if ((kind === 'stdio' ? command : url).trim() === '') return setProblem(w.wrongTarget)
    setBusy(true)
    const given = parseValues(values)
    const before = server === null ? [] : kind === 'http' ? server.headers : server.env
    // Of a server that is there, a name alone means that its value stays, and one that is gone is taken away.
    const changes = Object.fromEntries([...Object.entries(given).filter(([, value]) => value !== null), ...before.filter((known) => !(known in given)).map((known) => [known, null])])
    const target = kind === 'stdio'
      ? { command: command.trim(), args: linesOf(args), env: changes, sandbox: isSandboxed, ...(cwd.trim() !== '' && { cwd: cwd.trim() }) }
      : { url: url.trim(), headers: changes }
    try {
      await api.change(server === null ? 'put' : 'patch', '/api/mcp/servers/{name}', { name: name.trim() }, { ...target, sampling: mayAsk })
      toast(w.saved(name.trim()), { kind: 'good' })
      onClose()
      onSaved()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setProblem(error.message)
    }
    setBusy(false)
  }
  return (
    <Dialog open onClose={onClose} keep title={server === null ? w.add : `${w.edit}: ${server.name}`} actions={<Button kind='primary' busy={isBusy} onClick={() => { void save() }}>{words.value.common.save}</Button>}>
      <form class='settings-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void save() }}>
        {server === null ? <TextField label={w.name} autofocus maxLength={64} value={name} onValue={setName} /> : null}
        {server === null ? <Segmented label={w.kind} choices={(['stdio', 'http'] as const).map((key) => ({ key, text: w.kinds[key] }))} chosen={kind} onChoose={setKind} /> : null}
        {kind === 'stdio'
          ? (
            <>
              <TextField label={w.command} hint={w.commandHint} spellcheck={false} value={command} onValue={setCommand} />
              <TextArea label={w.args} rows={2} spellcheck={false} value={args} onValue={setArgs} />
              <TextField label={w.cwd} optional spellcheck={false} value={cwd} onValue={setCwd} />
              <TextArea label={w.variables} optional rows={2} spellcheck={false} hint={w.valuesHint} value={values} onValue={setValues} />
              <Switch label={w.sandbox} checked={isSandboxed} onChecked={setSandboxed} />
            </>
            )
          : (
            <>
              <TextField label={w.url} type='url' spellcheck={false} value={url} onValue={setUrl} />
              <TextArea label={w.headers} optional rows={2} spellcheck={false} hint={w.valuesHint} value={values} onValue={setValues} />
            </>
            )}
        <Switch label={w.sampling} checked={mayAsk} onChecked={setMayAsk} />
        {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
      </form>
    </Dialog>
  )
}
