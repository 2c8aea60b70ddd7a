import { type Words } from '../en/index.js'

export const asking: Words['asking'] = {
  asks: (action) => `${action}？`,
  title: {
    create: (file) => `新建 ${file}`,
    edit: (file) => `修改 ${file}`,
    write: (file) => `写入 ${file}`,
    createTask: (name) => `新建任务“${name}”`,
    editTask: (name) => `修改任务“${name}”`,
    pauseTask: (name) => `暂停任务“${name}”`,
    resumeTask: (name) => `继续任务“${name}”`,
    deleteTask: (name) => `删除任务“${name}”`,
    command: '运行这条命令',
    request: (method, host) => method === 'GET' ? `读取 ${host} 的网页` : `向 ${host} 发送 ${method} 请求`,
    mcp: (tool, server) => `使用 ${server} 的 ${tool}`,
    sampling: (server) => `让 ${server} 询问模型`,
    instructions: '按改动后的指令做',
    budget: '超出预算继续',
    memory: '修改记忆',
    skills: '保存这个技能',
    schedules: '修改任务',
    readOutside: '读取工作区以外的文件',
    readProtected: '读取受保护的文件',
    other: '允许这样做'
  },
  late: '已经在别处回答过了。'
}
