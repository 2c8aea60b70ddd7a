import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { words } from '../words/index.js'
import { renaming } from './rail-state.js'

const mostLetters = { chat: 80, project: 128 }

/** Edits a name in place: Enter and leaving the field save it, Escape does not. */
export function InPlaceName ({ name }: { name: string }) {
  const named = useRef(renaming.peek())
  const kind = named.current?.of === 'chat' ? 'chat' : 'project'
  const text = useSignal(name)
  const isOver = useRef(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])
  const end = (isKept: boolean): void => {
    if (isOver.current) return
    isOver.current = true
    const wanted = text.peek().trim()
    renaming.value = null
    if (isKept && wanted !== '' && wanted !== name) void keep(named.current, wanted)
  }
  const w = words.value.shell
  return (
    <form class='rail-rename' onSubmit={(event) => { event.preventDefault(); end(true) }}>
      <input
        ref={field} type='text' dir='auto' value={text.value} maxLength={mostLetters[kind]} autofocus
        aria-label={kind === 'chat' ? w.nameOfChat : w.nameOfProject} placeholder={kind === 'chat' ? w.nameOfChat : w.nameOfProject}
        onInput={({ currentTarget }) => { text.value = currentTarget.value }}
        onBlur={() => end(true)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Escape') end(false)
        }}
      />
    </form>
  )
}

async function keep (named: typeof renaming.value, name: string): Promise<void> {
  if (named === null) return
  if (named.of === 'chat') return await (await import('./chat-actions.js')).renameChat(named.id, name)
  const { createProject, renameProject } = await import('./project-actions.js')
  await (named.of === 'new' ? createProject(name, named.ids) : renameProject(named.id, name))
}
