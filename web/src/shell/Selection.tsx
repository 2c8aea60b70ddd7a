import { sessions } from '../app.js'
import { Button } from '../ui/Button.js'
import { Archive, Download, FolderInput, Pin, Trash, X } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { archiveChats, deleteChats, exportChats, pinChats } from './chat-actions.js'
import { chosen, railMenu } from './rail-state.js'

/** The actions on all selected chats. */
export function Selection ({ ids }: { ids: readonly string[] }) {
  const w = screenWords.value.rail
  const isPinned = ids.every((id) => sessions.row(id)?.pinned === true)
  const end = (): void => { chosen.value = new Set() }
  return (
    <div class='rail-selection' onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); end() } }}>
      <p role='status'>{w.chosen(ids.length)}</p>
      <Button kind='quiet' icon={Pin} label={isPinned ? w.unpin : w.pin} onClick={() => { void pinChats(ids, !isPinned) }} />
      <Button
        kind='quiet' icon={FolderInput} label={w.move} aria-haspopup='menu'
        onClick={({ currentTarget }) => { railMenu.value = { of: 'move', ids, anchor: { current: currentTarget } } }}
      />
      <Button kind='quiet' icon={Archive} label={w.archive} onClick={() => { void archiveChats(ids) }} />
      <Button kind='quiet' icon={Download} label={w.export} onClick={() => { void exportChats(ids) }} />
      <Button kind='quiet' icon={Trash} label={w.delete} onClick={() => deleteChats(ids)} />
      <Button kind='quiet' icon={X} label={w.endChoosing} onClick={end} />
    </div>
  )
}
