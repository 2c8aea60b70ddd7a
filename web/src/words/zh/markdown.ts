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
    blocked: (count) => `已拦截此页面的 ${count} 个网络请求：回答中的页面不能访问网络。`
  },
  view: {
    of: (tool, server) => `${server} 的 ${tool}`,
    gone: (server) => `${server} 此次调用的视图已不再保存，结果见上面的步骤。`,
    reaches: '此视图想要连接以下地址：',
    show: '显示视图',
    close: '关闭视图',
    closed: '视图已关闭。',
    held: '此视图上次未能完成启动，因此不会自动启动。',
    asksTool: (tool, server) => `使用 ${server} 的 ${tool}？`,
    asksLink: (server) => `为 ${server} 打开网页？`,
    asksResource: (server) => `从 ${server} 读取资源？`,
    full: '全屏',
    leaveFull: '退出全屏',
    calls: (n) => `此视图进行了 ${n} 次调用`,
    states: {
      running: '进行中',
      failed: '失败',
      refused: '未执行',
      lost: '服务在此次调用期间停止，调用是否生效未知。'
    },
    fromView: '这是视图的请求，不是智能体的。',
    once: '允许一次',
    inChat: '在此对话中允许',
    deny: '拒绝',
    openLink: '打开'
  }
}
