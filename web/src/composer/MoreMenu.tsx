import { nextSession, type OpenChat } from '../conversation/open-chat.js'
import { Camera, Drama, FolderGit2, GitFork, Goal, ListTodo, MessageCircleQuestionMark, Paperclip, Plus, Slash } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { words } from '../words/index.js'
import { boxDialog } from './dialogs.js'

/** Offers attachments for a message, and other ways to start. `onCamera`: null if no picture can be taken. */
export function MoreMenu ({ opened, onFiles, onCommand, onCamera }: {
  opened: OpenChat
  onFiles: () => void
  onCommand: (name: string) => void
  onCamera: (() => void) | null
}) {
  const w = words.value.bar.more
  const isNew = opened.conversation.sessionId.value === null
  const hasWorktree = nextSession.value.worktree === true
  const command = (name: 'goal' | 'btw' | 'background') => ({ ...w[name], onPick: () => onCommand(name) })
  return (
    <Menu
      icon={Plus} label={w.label} align='start'
      items={() => [
        { text: words.value.composer.attach, icon: Paperclip, onPick: onFiles },
        ...(onCamera === null ? [] : [{ text: words.value.composer.camera, icon: Camera, onPick: onCamera }]),
        'line' as const,
        { ...command('goal'), icon: Goal },
        { ...command('btw'), icon: MessageCircleQuestionMark },
        { ...command('background'), icon: ListTodo },
        { ...w.attempts, icon: GitFork, onPick: () => { boxDialog.value = { kind: 'attempts' } } },
        ...(isNew
          ? [
              {
                ...w.worktree, icon: FolderGit2, checked: hasWorktree,
                onPick: () => { nextSession.value = { ...nextSession.peek(), worktree: !hasWorktree, temporary: false } }
              }
            ]
          : [{ text: words.value.bar.personality, icon: Drama, onPick: () => { boxDialog.value = { kind: 'personality' as const } } }]),
        'line' as const,
        { text: w.all, icon: Slash, onPick: () => { boxDialog.value = { kind: 'help' } } }
      ]}
    />
  )
}
