import { type Words } from '../en/index.js'

/** Texts for parts of a chat that are loaded on first use. */
export const talk: Words['talk'] = {
  commit: {
    writing: 'コミットメッセージを書いています…',
    files: (count) => `${count} ファイルをコミット`
  },
  results: {
    gone: (path) => `${path} を表示できません。存在しないか、ここでは開けません。`,
    open: (name) => `${name} をチャットの横に表示`,
    openInTab: (name) => `${name} を新しいタブで開く`,
    download: (name) => `${name} をダウンロード`,
    text: 'テキストを表示',
    noText: 'この文書には読み取れるテキストがありません。'
  },
  outline: {
    title: 'アウトライン',
    search: 'アウトラインを検索',
    none: 'メッセージはまだありません',
    noMatches: (text) => `「${text}」に一致するものはありません。`,
    cut: 'この長いチャットの最後の部分だけを表示しています。',
    current: '現在位置',
    goal: 'ゴール',
    cron: '予定したタスク',
    note: 'エージェントの作業中に追加',
    filesOnly: 'テキストのないメッセージ',
    notThere: 'この場所が見つかりませんでした。チャットが変わった可能性があります。もう一度お試しください。'
  },
  worktree: {
    title: 'このチャットのワークツリー',
    none: 'このチャットのワークツリーはもうありません。リポジトリ自体で作業します。',
    branch: 'ブランチ',
    folder: 'フォルダー',
    repository: 'リポジトリ',
    gone: 'フォルダーがもうないため、チャットはそこで作業できません。',
    clean: 'コミットしていない変更はありません。',
    dirty: (count) => `${count} ファイルにコミットしていない変更があります。`,
    untracked: (count) => `${count} ファイルが追跡されていません。`,
    ahead: (count) => `${count} 件のコミットが他のどのブランチにもありません。`,
    merged: 'すべてのコミットがリポジトリにあります。',
    elsewhere: 'すべてのコミットが他のブランチにもあります。',
    locked: 'Git がロックしています。先に「git worktree unlock」を実行してください。',
    whileRunning: 'エージェントがここで作業中です。終わったら削除できます。',
    remove: 'ワークツリーを削除',
    removeAnyway: 'それでも削除',
    goOn: 'リポジトリで続ける',
    losesChanges: 'それでも削除すると、コミットしていない変更と git が無視するファイルは失われます。',
    keepsCommits: (branch) => `それでも削除すると、フォルダーはなくなり、コミットは ${branch} に残ります。`,
    removed: 'ワークツリーを削除しました。チャットはリポジトリで続きます。',
    removedKept: (branch) => `ワークツリーを削除しました。ブランチ ${branch} は残り、チャットはリポジトリで続きます。`
  }
}
