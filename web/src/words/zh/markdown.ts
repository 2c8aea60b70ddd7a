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
  tooDeep: '内容太长或嵌套太深，按原文显示。',
  artifact: {
    drawn: { diagram: '图表', picture: '图片', page: '页面' },
    asCode: '代码',
    shownAs: '显示方式',
    open: '放大查看',
    stop: '停止',
    run: '显示页面',
    versions: '版本',
    version: (at, of) => `版本 ${at}/${of}`,
    drawing: '正在绘制…',
    noDiagram: '无法绘制此图表，以下是它的代码。',
    noPicture: '无法显示此图片，以下是它的代码。',
    notLoaded: '绘制图表的部分无法加载，以下是代码。',
    tookTooLong: '上次没有绘制完成，因此不会自动绘制。',
    drawAnyway: '仍要绘制',
    stuck: '此页面没有响应。',
    blocked: (count) => `有 ${count} 项网络内容未加载：回答中的页面不能访问网络。`
  }
}
