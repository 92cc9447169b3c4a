# The image of a release, of the program that the release has built; Dockerfile builds it from source.
FROM busybox:stable AS data
RUN mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/onrush /onrush
COPY --from=data --chown=nonroot:nonroot /data /data
ENV ONRUSH_ADDR=0.0.0.0:8080 ONRUSH_METRICS_ADDR=0.0.0.0:9090 ONRUSH_DATA_DIR=/data ONRUSH_LOG=json
EXPOSE 8080 9090
HEALTHCHECK --interval=5s --timeout=4s --start-period=10s CMD ["/onrush", "health"]
ENTRYPOINT ["/onrush"]
CMD ["serve"]
