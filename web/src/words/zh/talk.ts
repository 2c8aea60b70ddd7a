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
  }
}
