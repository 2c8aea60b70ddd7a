import { type Words } from '../en/index.js'

export const talk: Words['talk'] = {
  commit: {
    writing: '正在写提交说明…',
    files: (count) => `提交 ${count} 个文件`
  },
  results: {
    gone: (path) => `无法显示 ${path}：文件不存在，或在这里无法访问。`,
    open: (name) => `在对话旁边显示 ${name}`,
    openInTab: (name) => `在新标签页中打开 ${name}`,
    download: (name) => `下载 ${name}`,
    text: '显示文字',
    noText: '无法从这个文档中读出内容。'
  },
  outline: {
    title: '对话大纲',
    search: '在说过的话中搜索',
    none: '还没有说过什么',
    noMatches: (text) => `没有内容包含“${text}”。`,
    cut: '这个对话很长，这里只列出最后一部分。',
    current: '当前位置',
    goal: '目标',
    cron: '定时任务',
    note: '工作时补充的话',
    filesOnly: '没有文字的消息',
    notThere: '找不到这个位置。对话可能已经变了，请重试。'
  },
  worktree: {
    title: '这个对话的工作树',
    none: '这个对话已没有工作树，直接在仓库中工作。',
    branch: '分支',
    folder: '文件夹',
    repository: '仓库',
    gone: '文件夹已不存在，对话无法在其中工作。',
    clean: '没有未提交的更改。',
    dirty: (count) => `${count} 个文件有未提交的更改。`,
    untracked: (count) => `${count} 个文件未被跟踪。`,
    ahead: (count) => `${count} 个提交不在任何其他分支上。`,
    merged: '仓库已包含它的所有提交。',
    elsewhere: '它的所有提交也在其他分支上。',
    locked: '它被 git 锁定：需要先运行 git worktree unlock。',
    whileRunning: '智能体正在其中工作，完成后才能移除。',
    remove: '移除工作树',
    removeAnyway: '仍要移除',
    goOn: '在仓库中继续',
    losesChanges: '如果仍要移除，未提交的更改和 git 忽略的文件都会丢失。',
    keepsCommits: (branch) => `如果仍要移除，文件夹会消失，提交会留在 ${branch} 上。`,
    removed: '工作树已移除。对话在仓库中继续。',
    removedKept: (branch) => `工作树已移除，分支 ${branch} 保留。对话在仓库中继续。`
  }
}
