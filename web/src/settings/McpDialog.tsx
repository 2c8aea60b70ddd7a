import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { Switch, TextArea, TextField } from '../ui/Field.js'
import { Segmented } from '../ui/Segmented.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords, words } from '../words/index.js'
import { mcpChangeOf, mcpFormOf, type McpForm, type McpProblem, type McpServer } from './mcp-form.js'

/** Adds or edits an MCP server; settings that the form does not show are kept. */
export function McpDialog ({ server, names, onClose, onSaved }: {
  server: McpServer | null
  names: readonly string[]
  onClose: () => void
  onSaved: () => void
}) {
  // Later changes of the server do not affect an open form.
  const [first] = useState(server)
  const [form, setForm] = useState<McpForm>(mcpFormOf(server))
  const { isBusy, problem, problemAt, setProblem, form: fields, run } = useRequest()
  const w = screenWords.value.mcp
  const put = (change: Partial<McpForm>): void => {
    setForm({ ...form, ...change })
    setProblem(null)
  }
  const save = async (): Promise<void> => {
    const name = form.name.trim()
    const change = mcpChangeOf(form, first)
    if (isProblem(change)) return setProblem(w.wrong[change.wrong](change.about), change.wrong)
    if (first === null && names.includes(name)) return setProblem(w.taken(name), 'name')
    await run(async () => {
      await api.change(first === null ? 'put' : 'patch', '/api/mcp/servers/{name}', { name }, change)
      toast(w.saved(name), { kind: 'good' })
      onClose()
      onSaved()
    })
  }
  const part: Part = { form, put, targetProblem: problemAt('target'), valuesProblem: problemAt('noName') ?? problemAt('noValue') }
  const isChanged = JSON.stringify(form) !== JSON.stringify(mcpFormOf(first))
  return (
    <Dialog
      open onClose={onClose} keep={isChanged} title={first === null ? w.add : `${w.edit}: ${first.name}`}
      actions={<Button kind='primary' type='submit' form='mcp-form' busy={isBusy}>{words.value.common.save}</Button>}
    >
      <form ref={fields} id='mcp-form' class='settings-form' onSubmit={(event) => { event.preventDefault(); if (!isBusy) void save() }}>
        {first === null
          ? (
            <>
              <TextField
                label={w.name} autofocus maxLength={64} spellcheck={false} autocapitalize='none' value={form.name}
                error={problemAt('name')} onValue={(name) => put({ name })}
              />
              <Segmented
                label={w.kind}
                choices={(['stdio', 'http'] as const).map((key) => ({ key, text: w.kinds[key] }))}
                chosen={form.kind}
                onChoose={(kind) => put({ kind })}
              />
            </>
            )
          : null}
        {form.kind === 'stdio' ? <Program {...part} /> : <Address {...part} />}
        <Switch label={w.sampling} checked={form.sampling} onChecked={(sampling) => put({ sampling })} />
        {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
      </form>
    </Dialog>
  )
}

const isProblem = (change: Record<string, unknown> | McpProblem): change is McpProblem => 'wrong' in change

interface Part {
  form: McpForm
  put: (change: Partial<McpForm>) => void
  /** What is wrong with the program or the address, and with the variables or headers. */
  targetProblem: string | null
  valuesProblem: string | null
}

function Program ({ form, put, targetProblem, valuesProblem }: Part) {
  const w = screenWords.value.mcp
  return (
    <>
      <TextField
        label={w.command} hint={w.commandHint} spellcheck={false} autocapitalize='none' value={form.command}
        error={targetProblem} onValue={(command) => put({ command })}
      />
      <TextArea label={w.args} rows={2} spellcheck={false} value={form.args} onValue={(args) => put({ args })} />
      <TextField label={w.cwd} optional spellcheck={false} value={form.cwd} onValue={(cwd) => put({ cwd })} />
      <TextArea
        label={w.variables} optional rows={2} spellcheck={false} hint={w.valuesHint} value={form.env}
        error={valuesProblem} onValue={(env) => put({ env })}
      />
      <Switch label={w.sandbox} checked={form.sandbox} onChecked={(sandbox) => put({ sandbox })} />
    </>
  )
}

function Address ({ form, put, targetProblem, valuesProblem }: Part) {
  const w = screenWords.value.mcp
  return (
    <>
      <TextField label={w.url} type='url' spellcheck={false} value={form.url} error={targetProblem} onValue={(url) => put({ url })} />
      <TextArea
        label={w.headers} optional rows={2} spellcheck={false} hint={w.headersHint} value={form.headers}
        error={valuesProblem} onValue={(headers) => put({ headers })}
      />
    </>
  )
}
