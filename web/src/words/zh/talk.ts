import { type Words } from '../en/index.js'

export const talk: Words['talk'] = {
  commit: {
    writing: '正在写提交说明…',
    files: (count) => `提交 ${count} 个文件`
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
  }
}
