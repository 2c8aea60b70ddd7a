import { type Words } from '../en/index.js'

export const markdown: Words['markdown'] = {
  code: '代码',
  codeIn: (language) => `代码：${language}`,
  download: '下载',
  wrap: '自动换行',
  table: '表格',
  footnotes: '脚注',
  footnote: (label) => `脚注 ${label}`,
  backToText: '回到正文',
  done: '已完成',
  notDone: '未完成',
  image: (name) => `图片：${name}`,
  tooDeep: '内容太长或嵌套太深，按原文显示。'
}
