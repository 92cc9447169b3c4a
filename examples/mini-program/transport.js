// transport sends the requests of onrush.js with wx.request: a mini program has no fetch.
export const transport = ({ method, url, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const task = wx.request({
      url,
      method,
      header: headers,
      data: body,
      dataType: 'text', // onrush.js reads the JSON
      success: ({ statusCode, header, data }) => resolve({ status: statusCode, headers: header, body: data }),
      fail: ({ errMsg }) => reject(new Error(errMsg)),
    });
    signal?.addEventListener('abort', () => task.abort());
  });
