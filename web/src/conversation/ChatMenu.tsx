import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { api } from '../app.js'
import { boxDialog } from '../composer/dialogs.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type SessionFacts } from '../core/conversation/conversation-state.js'
import { archiveSession, branchSession, duplicateSession, renameSession, undoLast } from '../core/sessions/session-actions.js'
import { archiveChats, deleteChats, pinChats } from '../shell/chat-actions.js'
import { ownTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { railMenu, sharing } from '../shell/rail-state.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import {
  Archive, Check, ChevronDown, Copy, Download, Ellipsis, Folder, FolderInput, GitBranch, ListTodo, Pencil, Pin, Share, Shield, ShieldOff,
  Trash, Undo2
} from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { TextField } from '../ui/Field.js'
import { type Anchor } from '../ui/Popover.js'
import { isPhone } from '../ui/screen.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { chatDialog, menuAsked } from './chat-dialog.js'
import { yolo } from './open-chat.js'
import { YoloDialog } from './YoloDialog.js'

/** A chat with fewer exchanges needs no outline. */
const fewExchanges = 2

/** The menu of actions on a whole chat. */
export function ChatMenu ({ conversation, session }: { conversation: Conversation, session: SessionFacts }) {
  const { session_id: id, pinned, archived } = session
  const asked = useSignal<'rename' | 'yolo' | null>(null)
  const isYolo = yolo.isOn(id)
  const [path, go] = useLocation()
  useEffect(() => { menuAsked.value = null }, [])
  const w = screenWords.value.chat
  const { menu, outline, askAlways } = words.value.conversation
  const close = (): void => { asked.value = null }
  const switchYolo = async (isOn: boolean): Promise<void> => { await attempt(async () => await yolo.set(id, isOn) === isOn) }
  const undo = async (): Promise<void> => {
    const kept = await branchSession(api, id, undefined, session.title)
    const undone = await undoLast(api, id)
    await conversation.reload()
    if (undone === null) return
    toast(w.exchangeUndone, { action: { text: w.openKept, onPick: () => go(places.session(kept.session_id)) } })
  }
  const isTemporary = session.temporary === true
  const canChange = !isTemporary && !session.read_only
  const canUndo = canChange && conversation.running.value === null && conversation.transcript.exchanges.value.length > 0
  const duplicate = async (): Promise<void> => go(places.session(await duplicateSession(api, id)))
  const exportAs = (format: 'json' | 'html'): void => { location.assign(api.url('/api/session/export', { session_id: id, format })) }
  return (
    <>
      <Menu
        icon={isPhone.value ? Ellipsis : ChevronDown} size='small' label={menu} align={isPhone.value ? 'end' : 'start'}
        startsOpen={menuAsked.peek() === path}
        items={() => [
          ...(conversation.transcript.exchanges.peek().length <= fewExchanges && !conversation.transcript.hasEarlier.peek()
            ? []
            : [{ text: outline, icon: ListTodo, keys: 'O', onPick: () => { chatDialog.value = 'outline' as const } }, 'line' as const]),
          ...(session.read_only
            ? []
            : [
                ...(isTemporary
                  ? [{ text: w.temporary.keep, icon: Check, onPick: () => { void attempt(async () => await conversation.keep()) } }]
                  : [
                      { text: w.rename, icon: Pencil, onPick: () => { asked.value = 'rename' as const } },
                      { text: pinned ? w.unpin : w.pin, icon: Pin, onPick: () => { void pinChats([id], !pinned) } },
                      { text: w.move, icon: FolderInput, onPick: (anchor: Anchor) => { railMenu.value = { of: 'move' as const, ids: [id], anchor } } }
                    ]),
                'line' as const,
                ...(conversation.running.value === null
                  ? [{ text: w.otherFolder, icon: Folder, onPick: () => { boxDialog.value = { kind: 'workspace' as const } } }]
                  : []),
                ...(canUndo ? [{ text: w.undoExchange, icon: Undo2, onPick: () => { void attempt(undo) } }] : []),
                {
                  text: isYolo ? askAlways : w.yolo, icon: isYolo ? Shield : ShieldOff,
                  onPick: () => { if (isYolo) void switchYolo(false); else asked.value = 'yolo' }
                },
                'line' as const
              ]),
          ...(session.worktree_path === null ? [] : [{ text: w.worktree, icon: GitBranch, onPick: () => { chatDialog.value = 'worktree' as const } }]),
          ...(isTemporary
            ? []
            : [
                { text: w.duplicate, icon: Copy, onPick: () => { void attempt(duplicate) } },
                { text: w.share, icon: Share, onPick: () => { sharing.value = session } }
              ]),
          { text: `${w.export} (JSON)`, icon: Download, onPick: () => exportAs('json') },
          { text: `${w.export} (HTML)`, icon: Download, onPick: () => exportAs('html') },
          ...(session.read_only
            ? []
            : [
                'line' as const,
                ...(isTemporary
                  ? []
                  : [{
                      text: archived ? w.unarchive : w.archive, icon: Archive,
                      onPick: () => { void (archived ? attempt(() => archiveSession(api, id, false)) : archiveChats([id])) }
                    }]),
                // A temporary chat is deleted by leaving it.
                { text: w.delete, icon: Trash, danger: true, onPick: () => { if (isTemporary) go(places.start); else deleteChats([id]) } }
              ])
        ]}
      />
      {asked.value === 'yolo' ? <YoloDialog onConfirm={() => { void switchYolo(true) }} onClose={close} /> : null}
      <Rename open={asked.value === 'rename'} conversation={conversation} session={session} onClose={close} />
    </>
  )
}

function Rename ({ open, conversation, session, onClose }: {
  open: boolean
  conversation: Conversation
  session: SessionFacts
  onClose: () => void
}) {
  const title = useSignal('')
  const w = screenWords.value.chat
  if (!open) {
    title.value = ownTitle(session.title)
    return null
  }
  const rename = async (): Promise<void> => {
    const row = await renameSession(api, session.session_id, title.value)
    conversation.syncRow({ session_id: row.session_id, title: row.title })
    onClose()
  }
  return (
    <Dialog
      open onClose={onClose} title={w.rename} size='small'
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button kind='primary' onClick={() => { void attempt(rename) }}>{words.value.common.save}</Button>
        </>
      )}
    >
      <form onSubmit={(event) => { event.preventDefault(); void attempt(rename) }}>
        <TextField
          label={screenWords.value.palette.newTitle} bare value={title.value} maxLength={80} autofocus
          onValue={(value) => { title.value = value }}
        />
      </form>
    </Dialog>
  )
}
