import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { moveSession } from '../core/sessions/session-actions.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { TextField } from '../ui/Field.js'
import { Trash } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'
import { projects, refreshProjects } from './projects.js'
import './projects.css'

/** Colours that are readable on every background. */
const colours = ['#0f6b5c', '#b87400', '#b3261e', '#3a5fb0', '#7a4fa3', '#5c6b2e'] as const

/** Creates, renames, colours and deletes projects. Opened from a chat, a new project takes that chat in. */
export function ProjectsDialog ({ sessionId, onClose }: { sessionId: string | null, onClose: () => void }) {
  const name = useSignal('')
  const isBusy = useSignal(false)
  useEffect(() => { void refreshProjects().catch(() => {}) }, [])
  const w = screenWords.value.chat.projects
  const create = async (): Promise<void> => {
    const wanted = name.peek().trim()
    if (wanted === '' || isBusy.peek()) return
    isBusy.value = true
    const isDone = await attempt(async () => {
      const color = colours.at(projects.peek().length % colours.length) ?? colours[0]
      const { project } = await api.post('/api/projects/create', { name: wanted, color })
      if (sessionId !== null) await moveSession(api, sessionId, project.project_id)
      await refreshProjects()
    })
    isBusy.value = false
    if (!isDone) return
    name.value = ''
    if (sessionId === null) return
    toast(w.moved(wanted))
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={w.title}>
      <form class='project-new' onSubmit={(event) => { event.preventDefault(); void create() }}>
        <TextField
          label={w.name} value={name.value} maxLength={128} dir='auto' placeholder={w.example}
          onValue={(value) => { name.value = value }}
        />
        <Button kind='primary' type='submit' busy={isBusy.value} disabled={name.value.trim() === ''}>
          {sessionId === null ? w.create : w.createAndMove}
        </Button>
      </form>
      {projects.value.length === 0
        ? <p class='settings-note'>{w.none}</p>
        : <ul class='project-list'>{projects.value.map((project) => <Row key={project.project_id} project={project} />)}</ul>}
    </Dialog>
  )
}

function Row ({ project: { project_id: id, name, color } }: { project: Wire<'Project'> }) {
  const text = useSignal(name)
  const isAsked = useSignal(false)
  const w = screenWords.value.chat.projects
  const change = async (next: { name: string, color?: string }): Promise<void> => {
    await attempt(async () => {
      await api.post('/api/projects/rename', { project_id: id, ...next })
      await refreshProjects()
    })
  }
  const rename = (): void => {
    const wanted = text.peek().trim()
    if (wanted === '') text.value = name
    else if (wanted !== name) void change({ name: wanted })
  }
  const remove = async (): Promise<void> => {
    await attempt(async () => {
      await api.post('/api/projects/delete', { project_id: id })
      await refreshProjects()
    })
  }
  if (isAsked.value) {
    return (
      <li class='project-row' role='group' aria-label={w.deleteTitle(name)}>
        <p class='project-asked'>{w.deleteNote(name)}</p>
        <Button onClick={() => { isAsked.value = false }}>{w.keep}</Button>
        <Button kind='danger' onClick={() => { void remove() }}>{w.delete}</Button>
      </li>
    )
  }
  return (
    <li class='project-row'>
      <input
        type='color' class='project-colour' aria-label={w.colourOf(name)} value={color ?? colours[0]}
        onChange={({ currentTarget }) => { void change({ name, color: currentTarget.value }) }}
      />
      <form onSubmit={(event) => { event.preventDefault(); rename() }}>
        <TextField
          label={w.nameOf(name)} bare value={text.value} maxLength={128} dir='auto'
          onValue={(value) => { text.value = value }}
          onBlur={rename}
        />
      </form>
      <Button kind='quiet' icon={Trash} label={`${w.delete}: ${name}`} onClick={() => { isAsked.value = true }} />
    </li>
  )
}
