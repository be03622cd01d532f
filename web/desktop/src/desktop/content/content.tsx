/** The content of a window. A rendering error is shown here and reported to the agent. */
import type { wire } from "@dwell/client";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ArtifactBody } from "../../artifacts/body.tsx";
import { Chart } from "../../kit/chart.tsx";
import { Markdown } from "../../kit/markdown.tsx";
import { Notice } from "../../kit/pieces.tsx";
import { Table } from "../../kit/table.tsx";
import { AppFrame } from "./app-frame.tsx";
import { Html } from "./html.tsx";
import { Layout } from "./layout.tsx";
import { texts } from "../../languages/windows.ts";
import "./content.css";

type Props = { window: wire.Window; onFail: (error: string) => void };

/** A window's content, rendered again only when it changes, not when the window moves. */
export class Content extends Component<Props, { error?: string | undefined }> {
  override state: { error?: string | undefined } = {};

  override shouldComponentUpdate(next: Props, state: { error?: string | undefined }): boolean {
    const { window } = this.props;
    return (
      next.window.content !== window.content ||
      next.window.title !== window.title ||
      next.window.app?.token !== window.app?.token ||
      state.error !== this.state.error
    );
  }

  override componentDidCatch(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    this.setState({ error: words });
    this.props.onFail(words);
  }

  override componentDidUpdate(before: Props): void {
    // New content may render.
    const isOther = before.window.content !== this.props.window.content;
    if (isOther && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    if (error === undefined) return <ContentBody window={this.props.window} />;
    return (
      <div class="desktop-pad">
        <Notice tone="warning" role="status">
          <p>{texts().thisWindowCannotBe}</p>
          <p class="hint">
            {error}
            {texts().theAgentWasNotified}
          </p>
        </Notice>
      </div>
    );
  }
}

function ContentBody({ window }: { window: wire.Window }) {
  const { content, title } = window;
  switch (content.type) {
    case "markdown":
      return (
        <div class="desktop-pad">
          <Markdown text={content.text} />
        </div>
      );
    case "text":
      return <pre class="desktop-pad desktop-text">{content.text}</pre>;
    case "html":
      return <Html html={content.html} />;
    case "table":
      return <Table columns={content.columns} rows={content.rows} title={title} />;
    case "chart":
      return <ChartContent content={content} title={title} />;
    case "components":
      return <Layout windowId={window.window_id} columns={content.columns ?? 1} components={content.components} />;
    case "artifact":
      return <ArtifactBody artifact={content} />;
    case "app":
      return <AppFrame window={window} app={content.app} params={content.params} />;
    default:
      throw new Error(texts().unknownContentType(String((content as { type: unknown }).type)));
  }
}

/** The height around a chart's plot: legend and padding. */
const AROUND = 80;
const DRAWN_MIN = 140;

/** A chart that fills its window. */
function ChartContent({ content, title }: { content: Extract<wire.WindowContent, { type: "chart" }>; title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(240);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const observer = new ResizeObserver(() => setHeight(Math.max(DRAWN_MIN, current.clientHeight - AROUND)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="desktop-chart" ref={box}>
      <Chart kind={content.kind} labels={content.labels} series={content.series} title={title} height={height} />
    </div>
  );
}
